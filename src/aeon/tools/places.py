"""The time zones of places: cities of the IANA time zone database, and well-known places that it has no zone for."""

from functools import cache
from typing import Final
from zoneinfo import ZoneInfo, available_timezones

_OTHER_PLACES: Final = {
    "Africa/Cairo": "kairo|ägypten",
    "Africa/Johannesburg": "cape town|kapstadt|south africa|südafrika",
    "Africa/Lagos": "nigeria",
    "Africa/Nairobi": "kenya|kenia",
    "America/Argentina/Buenos_Aires": "argentina|argentinien",
    "America/Bogota": "colombia|kolumbien",
    "America/Chicago": "houston|dallas|austin",
    "America/Lima": "peru",
    "America/Los_Angeles": "san francisco|seattle|california|kalifornien|silicon valley|las vegas|la",
    "America/Mexico_City": "mexiko-stadt",
    "America/New_York": "nyc|washington dc|boston|miami|philadelphia|atlanta",
    "America/Sao_Paulo": "são paulo|rio de janeiro|rio",
    "Asia/Bangkok": "thailand",
    "Asia/Dubai": "abu dhabi",
    "Asia/Ho_Chi_Minh": "vietnam|hanoi|saigon",
    "Asia/Jakarta": "java",
    "Asia/Jerusalem": "israel",
    "Asia/Kolkata": "india|indien|mumbai|delhi|new delhi|neu-delhi|bangalore|bengaluru|chennai",
    "Asia/Manila": "philippines|philippinen",
    "Asia/Riyadh": "saudi arabia|saudi-arabien",
    "Asia/Seoul": "korea|south korea|südkorea",
    "Asia/Shanghai": "china|beijing|peking|shenzhen",
    "Asia/Singapore": "singapur",
    "Asia/Tokyo": "tokio|japan|osaka|kyoto",
    "Europe/Amsterdam": "netherlands|niederlande|holland",
    "Europe/Athens": "athen|greece|griechenland",
    "Europe/Berlin": "germany|deutschland|munich|münchen|hamburg|frankfurt|cologne|köln|leipzig",
    "Europe/Brussels": "brüssel|belgium|belgien",
    "Europe/Bucharest": "bukarest|romania|rumänien",
    "Europe/Budapest": "hungary|ungarn",
    "Europe/Copenhagen": "kopenhagen|denmark|dänemark",
    "Europe/Dublin": "ireland|irland",
    "Europe/Helsinki": "finland|finnland",
    "Europe/Istanbul": "turkey|türkei",
    "Europe/Kyiv": "kiew|kiev|ukraine",
    "Europe/Lisbon": "lissabon",
    "Europe/London": "uk|england|great britain|großbritannien|scotland|schottland|manchester",
    "Europe/Madrid": "barcelona",
    "Europe/Moscow": "moskau",
    "Europe/Oslo": "norway|norwegen",
    "Europe/Paris": "france|frankreich|lyon|marseille",
    "Europe/Prague": "prag|czech republic|czechia|tschechien",
    "Europe/Rome": "rom|italy|italien|milan|mailand|naples|neapel|venice|venedig",
    "Europe/Sofia": "bulgaria|bulgarien",
    "Europe/Stockholm": "sweden|schweden",
    "Europe/Vienna": "wien|austria|österreich|graz|salzburg",
    "Europe/Warsaw": "warschau|poland|polen|krakow|krakau",
    "Europe/Zurich": "zürich|switzerland|schweiz|geneva|genf|bern|basel",
}
"""Zones, and places in them that no zone is named after; countries only where the whole country has one time."""


def find_zone(place: str) -> ZoneInfo | None:
    """The time zone of a city or a country, in English or German, or of a zone's own name; None if it is not known."""
    key = _zones().get(_folded(place))
    return None if key is None else ZoneInfo(key)


def _folded(place: str) -> str:
    return " ".join(place.replace("_", " ").casefold().split())


@cache
def _zones() -> dict[str, str]:
    """The names of zones by folded names of places. A city's zone goes before an old name of another one."""
    known = available_timezones()
    cities = sorted((key for key in known if "/" in key), reverse=True)
    found = {_folded(key.rpartition("/")[2]): key for key in cities if not key.startswith(("Etc/", "posix/", "right/"))}
    found |= {_folded(key): key for key in known}
    return found | {place: key for key, places in _OTHER_PLACES.items() if key in known for place in places.split("|")}
