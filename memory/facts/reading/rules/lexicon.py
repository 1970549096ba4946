"""Closed word lists that tell one kind of noun from another."""

from __future__ import annotations

from typing import Final

# Trades by their last word: `product designer`, `nurse`.
TRADES: Final = frozenset(
    """nurse doctor surgeon dentist vet paramedic midwife pharmacist therapist psychologist
    psychiatrist physio physiotherapist teacher professor lecturer tutor student pupil engineer
    developer programmer designer architect analyst scientist researcher physicist chemist
    biologist accountant auditor banker broker lawyer solicitor barrister attorney paralegal
    judge manager director consultant coordinator assistant administrator secretary receptionist
    officer clerk cashier waiter waitress bartender barista chef cook baker butcher farmer
    gardener florist electrician plumber carpenter builder welder mechanic technician driver
    pilot sailor courier firefighter policeman policewoman detective soldier guard cleaner
    janitor hairdresser barber beautician tailor journalist reporter editor writer author
    novelist translator interpreter librarian photographer filmmaker musician singer guitarist
    violinist pianist drummer dancer actor actress artist painter sculptor illustrator animator
    coach trainer recruiter salesman saleswoman salesperson marketer economist statistician
    mathematician historian geologist astronomer entrepreneur founder freelancer intern
    apprentice carer caregiver nanny childminder babysitter landlord realtor surveyor optician
    radiographer optometrist dietitian nutritionist sommelier carpenter roofer tiler plasterer
    tester sysadmin copywriter producer composer priest pastor monk nun ceo cto cfo pm
    politician diplomat zookeeper fisherman fisher miner operator conductor instructor
    specialist strategist planner buyer postman stylist potter ceramicist jeweller goldsmith
    machinist joiner mason retiree""".split()
)
DEMONYMS: Final = frozenset(
    """american argentinian argentine australian austrian bangladeshi belgian bolivian brazilian
    british bulgarian canadian chilean chinese colombian croatian cuban cypriot czech danish
    dutch ecuadorian egyptian english estonian ethiopian finnish french georgian german ghanaian
    greek hungarian icelandic indian indonesian iranian iraqi irish israeli italian jamaican
    japanese jordanian kazakh kenyan korean latvian lebanese lithuanian malaysian maltese
    mexican moroccan nepali nigerian norwegian pakistani palestinian peruvian filipino filipina
    polish portuguese romanian russian rwandan saudi scottish senegalese serbian singaporean
    slovak slovenian somali spanish swedish swiss syrian taiwanese tanzanian thai tunisian
    turkish ugandan ukrainian uruguayan venezuelan vietnamese welsh""".split()
)
LANGUAGES: Final = frozenset(
    """english french german spanish portuguese italian dutch russian ukrainian polish czech slovak
    hungarian romanian bulgarian greek turkish arabic hebrew persian farsi hindi urdu bengali
    punjabi tamil telugu gujarati marathi swahili amharic yoruba igbo hausa zulu xhosa afrikaans
    chinese mandarin cantonese japanese korean vietnamese thai tagalog filipino indonesian malay
    swedish norwegian danish finnish icelandic estonian latvian lithuanian croatian serbian
    bosnian slovenian albanian catalan basque galician welsh irish gaelic georgian armenian
    esperanto latin nepali""".split()
)
PETS: Final = frozenset(
    """dog puppy cat kitten rabbit bunny hamster parrot budgie canary horse pony tortoise turtle
    snake lizard gecko ferret goldfish rat mouse chinchilla hedgehog cockatiel beagle labrador
    lab retriever greyhound poodle terrier dachshund bulldog pug husky collie spaniel corgi
    chihuahua rottweiler boxer dalmatian whippet schnauzer shepherd doberman mastiff setter
    pointer maltese pomeranian siamese persian ragdoll sphynx tabby cockapoo labradoodle mutt
    mongrel pitbull akita pig frenchie staffie goat donkey dogs cats rabbits horses""".split()
)
CONDITIONS: Final = frozenset(
    """asthma diabetes epilepsy arthritis eczema psoriasis migraine migraines scoliosis
    hypertension anemia anaemia endometriosis crohn's crohns lupus adhd autism dyslexia
    depression anxiety ibs pcos fibromyalgia osteoporosis hypothyroidism hyperthyroidism
    glaucoma tinnitus ms parkinson's celiac coeliac insomnia narcolepsy sciatica hemophilia
    haemophilia pacemaker colitis gout diabetic epileptic asthmatic dyslexic autistic celiacs
    coeliacs angina""".split()
)
# What people say they are allergic to when they mean that they dislike it.
FIGURATIVE: Final = frozenset(
    """work mondays monday mornings morning people bullshit drama stupidity meetings exercise
    idiots responsibility boredom boring commitment nonsense bs school sports sport housework
    fun""".split()
)
COUNTRIES_WITH_ARTICLE: Final = frozenset(
    """uk us usa u.k. u.s. states united netherlands philippines hague bahamas gambia emirates uae
    maldives bronx congo czech dominican isle highlands midlands cotswolds""".split()
)
# After "I'm": a state or a role, never a name.
NOT_NAMES: Final = frozenset(
    """here back not so sorry sure fine good great ok okay well happy sad tired sick ill busy free
    late done ready new interested looking trying going coming thinking afraid glad lost single
    married divorced engaged pregnant available allergic vegan vegetarian veggie pescatarian
    curious just still also very really in on at from your the a an my now currently feeling
    having working living excited confused stuck bored hungry home out off up down alone dead
    serious kidding muslim christian jewish hindu catholic buddhist""".split()
)
