"""How a contact and the agent talk, as the API and the command line show it. Pure."""

from __future__ import annotations

from datetime import tzinfo
from typing import Any, Final

from memory.ports.timelines import Activity

AUTHORS: Final = ("contact", "agent", "owner", "automation")


def activity_to_json(contact_id: str, zone: tzinfo, found: Activity) -> dict[str, Any]:  # Any: JSON
    """Return a contact's activity as a JSON object; weeks by their Monday."""
    return {
        "contact_id": contact_id,
        "zone": str(zone),
        "weeks": [
            {"week": week.monday.isoformat()} | {by: week.messages.get(by, 0) for by in AUTHORS}
            for week in found.weeks
        ],
        "hours": list(found.hours),
        "answered": found.answered,
        "median_reply_s": None if found.reply_s is None else round(found.reply_s, 1),
        "unanswered": [{"reason": why, "messages": many} for why, many in found.unanswered.items()],
    }


def activity_text(told: dict[str, Any]) -> list[str]:  # Any: as `activity_to_json` gives it
    """Return lines for people: answers, hours, then a line a week."""
    seconds = told["median_reply_s"]
    after = "" if seconds is None else f", after {seconds:g} s in the median"
    lines = [f"Answered: {told['answered']}{after}"]
    if told["unanswered"]:
        reasons = ", ".join(f"{each['reason']} {each['messages']}" for each in told["unanswered"])
        lines.append(f"Not answered: {reasons}")
    hours = " ".join(f"{hour}:{many}" for hour, many in enumerate(told["hours"]) if many)
    lines.append(f"Hours of the day ({told['zone']}): {hours or '-'}")
    for week in told["weeks"]:
        by = ", ".join(f"{author} {week[author]}" for author in AUTHORS if week[author])
        lines.append(f"{week['week']}  {by}")
    return lines
