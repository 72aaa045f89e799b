"""The text form and the JSON form of the model: reading, writing, and errors that say where the problem is.

See semantics: Events and subscriptions; semantics: Approximate matching; semantics: Files.
"""

from rankcast.language.columns import decode_delivery, encode_delivery, encode_match, encode_reject
from rankcast.language.events import MAX_EVENT_BYTES, check_event_size, decode_event, encode_event
from rankcast.language.expression_json import expression_of_json, expression_to_json
from rankcast.language.files import numbered_lines, read_catalog, read_events, read_records
from rankcast.language.json_text import dumps
from rankcast.language.labels import label
from rankcast.language.limits import MAX_DEPTH, MAX_LENGTH, MAX_PREDICATES, check_limits
from rankcast.language.parsing import parse
from rankcast.language.presets import PRESETS, Preset
from rankcast.language.printing import show
from rankcast.language.records import RecordTexts, decode_record, encode_record
from rankcast.language.times import parse_duration, parse_time, show_duration, show_time

__all__ = [
    "MAX_DEPTH",
    "MAX_EVENT_BYTES",
    "MAX_LENGTH",
    "MAX_PREDICATES",
    "PRESETS",
    "Preset",
    "RecordTexts",
    "check_event_size",
    "check_limits",
    "decode_delivery",
    "decode_event",
    "decode_record",
    "dumps",
    "encode_delivery",
    "encode_event",
    "encode_match",
    "encode_record",
    "encode_reject",
    "expression_of_json",
    "expression_to_json",
    "label",
    "numbered_lines",
    "parse",
    "parse_duration",
    "parse_time",
    "read_catalog",
    "read_events",
    "read_records",
    "show",
    "show_duration",
    "show_time",
]
