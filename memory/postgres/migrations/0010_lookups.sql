-- Which messages hold a lexeme. Without a list of pending entries: every search would read it.
create index messages_of_lexeme on messages using gin (tsvector_to_array(searchable))
  with (fastupdate = off) where author = 'contact';
