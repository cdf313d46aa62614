#!/usr/bin/python3
# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Requests to a home assistant: meanings, and many wordings of each.

A meaning is an action and the values of its slots, such as a room and a time. Run by itself, it prints the held-out set
as heldout.txt has its beginning. Needs Python alone.
"""
import functools
import itertools
import random
import re
import zlib

SEED = 1876
HELD_OUT, HELD_OUT_FILE = 1000, 200  # meanings in the held-out set, and how many of them heldout.txt lists

# Wordings are written in a small language: (a|b|c) is a choice, {slot} a wording of the slot's value, and
# {slot:table} one that another table has for the value. A value is a tuple of parts.


def table(text):
    """Values and their wordings, from "name|other wording, name, ...". The name is the first wording."""
    names = [entry.strip() for entry in text.split(",")]
    return {(name.split("|")[0],): f"({name})" for name in names}


def variants(names, text):
    """Other wordings for the values `names` of a table, separated by commas, in the same order."""
    return dict(zip([(name,) for name in names.split()], [f"({entry.strip()})" for entry in text.split(",")]))


ONES = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen " \
       "seventeen eighteen nineteen".split()
TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()


def in_words(number):
    if number < 20:
        return ONES[number]
    if number == 100:
        return "one hundred"
    return TENS[number // 10 - 2] + ("-" + ONES[number % 10] if number % 10 else "")


def numbers(values, unit=""):
    return {(value,): f"({value}|{in_words(value)}){unit}" for value in values}


def minutes_in_words(hour, minute):
    """Spoken forms of a time: half past six, twenty to seven, six fifteen."""
    this, following = in_words(hour), in_words(hour % 12 + 1)
    if minute == 0:
        return f"{this}|{this} o'clock"
    name = {15: "quarter", 30: "half", 45: "quarter"}.get(minute, in_words(min(minute, 60 - minute)))
    spoken = f"{name} past {this}" if minute <= 30 else f"{name} to {following}"
    return spoken if minute < 10 else f"{spoken}|{this} {in_words(minute)}"


def times():
    """Times of a day by hour, minute and half of the day: 18:30, 6:30 pm, half past six in the evening."""
    wordings = {}
    for hour, minute, half in itertools.product(range(1, 13), range(0, 60, 5), ("am", "pm")):
        later = hour % 12
        part = ("at night" if later < 1 else "in the morning") if half == "am" else \
            "in the afternoon" if later < 6 else "in the evening" if later < 9 else "(in the evening|at night)"
        digits = f"{hour}:{minute:02}" if minute else f"({hour}|{hour}:00)"
        whole = f"{later + 12 * (half == 'pm'):02}:{minute:02}"
        spoken = minutes_in_words(hour, minute)
        wordings[hour, minute, half] = f"({whole}|{digits} {half}|{digits} {part}|({spoken}) {part}|({spoken}) {part})"
    return wordings


def office_hours():
    """Times without the half of the day: 6:30, half past six."""
    wordings = {}
    for hour, minute in itertools.product(range(1, 13), range(0, 60, 15)):
        digits = f"{hour}:{minute:02}" if minute else f"{hour}|{hour}:00|{hour} o'clock"
        wordings[hour, minute] = f"({digits}|{minutes_in_words(hour, minute)})"
    return wordings


def durations():
    wordings = {(n, "minutes"): f"({n}|{in_words(n)}) minutes" for n in (*range(2, 21), 25, 35, 40, 45, 50, 55)}
    wordings |= {(n, "hours"): f"({n}|{in_words(n)}) hours" for n in range(2, 13)}
    wordings[30, "minutes"] = "((30|thirty) minutes|half an hour)"
    wordings[90, "minutes"] = "((90|ninety) minutes|an hour and a half|one and a half hours)"
    wordings[1, "hours"] = "((1|one|an) hour|(60|sixty) minutes)"
    return wordings


PEOPLE = table("Anna, Ben, Clara, David, Emma, Felix, Grace, Henry, Ida, Jack, Karim, Lucy, Maria, Noah, Olga, Peter, "
               "Rosa, Sam, Tara, Victor, mum|mom|my mother, dad|my father, grandma|my grandmother, my boss")
ROOMS = table("kitchen, bedroom, bathroom|bath, attic, garage, nursery, dining room, living room|lounge|sitting room, "
              "hallway|hall|corridor, office|study, basement|cellar, guest room|spare room")
ITEMS = table("apples, bananas, beers|bottles of beer, carrots, eggs, lemons, onions, oranges, potatoes, tomatoes, "
              "yoghurts|cups of yoghurt, rolls|bread rolls")
CITIES = table("Berlin, Paris, Rome, Vienna, Madrid, Lisbon, Prague, Warsaw, London, Dublin, Oslo, Athens, Zurich, "
               "Hamburg, Munich, Milan")
TABLES = {
    "person": PEOPLE, "room": ROOMS, "item": ITEMS, "city": CITIES, "time": times(), "clock": office_hours(),
    "duration": durations(), "percent": numbers(range(5, 101, 5), " (%|percent)"),
    "degrees": numbers(range(15, 29), " degrees"), "count": numbers(range(2, 13)),
    "steps": {(1,): "(1|one) degree"} | numbers(range(2, 6), " degrees"),
    "day": table("today, tomorrow, the day after tomorrow|in two days, every day|daily|each day")
    | {(name,): f"(on {name}|{name}|on {name})" for name in
       "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()},
    "date": table("today, tomorrow, the day after tomorrow|in two days, on Monday, on Tuesday, on Wednesday, "
                  "on Thursday, on Friday, on Saturday, on Sunday"),
    "colour": table("red, green, blue, yellow, orange, purple|violet, pink, white"),
    "device": table("dishwasher, washing machine|washer, dryer|tumble dryer, coffee machine|coffee maker, oven|stove, "
                    "fan|ventilator, television|TV, radio, vacuum cleaner|hoover, printer, heater, toaster"),
    "door": table("front door|main door, back door|rear door, garden gate|gate, garage door, balcony door, "
                  "patio door|terrace door"),
    "food": table("pasta|spaghetti|noodles, eggs, pizza, rice, tea, bread|loaf, cake, potatoes, soup, chicken"),
    "genre": table("jazz, rock|rock music, classical music|classics, pop|pop music, folk|folk music, blues, opera, "
                   "hip hop|rap, techno|electronic music, reggae, country|country music, piano music"),
    "thing": table("photo|picture|image, message|text, recipe, song, address, file|document, video|clip, link"),
    "task": table("water the plants|give the plants some water, feed the cat|give the cat some food, "
                  "take out the trash|take the rubbish out|put the garbage out, walk the dog|go out with the dog, "
                  "pay the rent, call the doctor|phone the doctor|ring the doctor, clean the windows|wash the windows, "
                  "pick up the kids|collect the children|fetch the kids, buy flowers|get some flowers, "
                  "do the laundry|wash the clothes, charge the car|plug in the car, make the bed, "
                  "empty the fridge|clear out the fridge, return the books|bring back the books"),
    "text": table("I am late|I will be late|I am running late, dinner is ready|the food is ready, "
                  "I am coming home|I am on my way home, I have arrived|I am there, the train is delayed|the train is "
                  "late, we are out of milk|there is no milk left, I am still at work|I am still in the office, "
                  "the door is open|the door is not closed, I lost my key|my key is gone, "
                  "the party starts at nine|the party begins at 9"),
    "question": table("will it rain|is it going to rain|will it be rainy|will there be rain, "
                      "will it snow|is it going to snow|will there be snow, will it be windy|will there be wind|"
                      "is it going to be windy, will it be sunny|will the sun shine|is it going to be sunny, "
                      "how warm will it be|what will the temperature be|how many degrees will it have, "
                      "will it be foggy|will there be fog|is it going to be foggy"),
    "state": table("on, off"), "running": variants("on off", "start|run, stop|shut down"),
    "bright": variants("on off", "bright|light, dark"),
    "change": table("warmer, colder|cooler"), "up": variants("warmer colder", "up, down"),
    "raise": variants("warmer colder", "raise|increase, lower|reduce"),
    "volume": table("louder, quieter|softer"), "loud": variants("louder quieter", "up, down"),
    "too": variants("louder quieter", "quiet|soft|low, loud|noisy"),
    "lock": table("lock, unlock"), "locked": variants("lock unlock", "locked, unlocked"),
    "move": table("open|raise|pull up, close|lower|shut|pull down"),
    "moved": variants("open close", "open, closed|shut"),
    "presence": variants("comes leaves", "comes home|gets home|arrives|is home, "
                         "leaves|goes out|leaves the house|is gone"),
}
# Whole requests as values: turn on the kitchen light.
TABLES["deed"] = {
    **{("light", state, *room): f"((turn|switch) {state} the {name} (light|lights|lamp)|(turn|switch) the "
       f"(light|lights) in the {name} {state})" for state in ("on", "off") for room, name in ROOMS.items()},
    **{("blinds", *move, *room): f"{verb} the (blinds|shutters) in the {name}|{verb} the {name} (blinds|shutters)"
       for move, verb in TABLES["move"].items() for room, name in ROOMS.items()},
    **{("door", *lock, *door): f"{verb} the {name}"
       for lock, verb in TABLES["lock"].items() for door, name in TABLES["door"].items()},
    **{("device", state, *device): f"((turn|switch) {state} the {name}|(turn|switch) the {name} {state})"
       for state in ("on", "off") for device, name in TABLES["device"].items()}}
TABLES["deed"] = {value: f"({wording})" for value, wording in TABLES["deed"].items()}

# Each action: its slots, with the table of each where that has another name, and its wordings. `!` marks requests in
# the imperative, which may begin with "could you". Two actions with the same slots and the same first part of their
# names are opposites.
ACTIONS = {
    ("light",): ("state room", """
        !(turn|switch) {state} the (light|lights|lamp) in the {room}
        !(turn|switch) the {room} (light|lights|lamp) {state}
        in the {room}, (turn|switch) the (light|lights) {state}
        !make it {state:bright} in the {room}
        {room} (light|lights|lamp) {state}
        (light|lights) {state} in the {room}"""),
    ("other lights",): ("state room", """
        !(turn|switch) {state} (all lights|every light) (except|but not) in the {room}
        !(turn|switch) (all the lights|all lights) {state}, (except|but not) the one in the {room}
        except in the {room}, (turn|switch) the lights {state} everywhere
        lights {state} everywhere (except|but not) in the {room}"""),
    ("brightness",): ("percent room", """
        !(dim|set) the (light|lights|lamp) in the {room} to {percent}
        !(set|put) the {room} (light|lights|lamp) (to|at) {percent}
        the brightness of the {room} (light|lights|lamp) should be {percent}
        in the {room} I (want|need) {percent} (light|brightness)
        {percent} (light|brightness) in the {room}"""),
    ("colour",): ("colour room", """
        !(make|turn) the (light|lights|lamp) in the {room} {colour}
        !(change|set) the {room} (light|lights|lamp) to {colour}
        I (want|would like) {colour} light in the {room}
        the {room} should (be|shine) in {colour}
        {colour} light in the {room}"""),
    ("heating",): ("degrees room", """
        !(set|heat) the {room} to {degrees}
        !make it {degrees} in the {room}
        !(set|turn) the (heating|thermostat) in the {room} to {degrees}
        the {room} should (be|have) {degrees}
        in the {room} I (want|would like) {degrees}"""),
    ("temperature",): ("change steps room", """
        !make the {room} {steps} {change}
        !(turn|put) the heating in the {room} {change:up} by {steps}
        !{change:raise} the temperature in the {room} by {steps}
        it should be {steps} {change} in the {room}
        I want the {room} {steps} {change}"""),
    ("device",): ("state device time", """
        !(turn|switch) {state} the {device} at {time}
        !(turn|switch) the {device} {state} at {time}
        at {time}, {state:running} the {device}
        the {device} should be {state} at {time}
        {device} {state} at {time}"""),
    ("door",): ("lock door time", """
        !{lock} the {door} at {time}
        at {time}, {lock} the {door}
        !make sure that the {door} is {lock:locked} at {time}
        the {door} should be {lock:locked} at {time}"""),
    ("blinds",): ("move room time", """
        !{move} the (blinds|shutters) in the {room} at {time}
        at {time}, {move} the {room} (blinds|shutters)
        the (blinds|shutters) in the {room} should be {move:moved} at {time}
        {room} (blinds|shutters) {move:moved} at {time}"""),
    ("alarm", "set"): ("day time", """
        !wake me (up|) {day} at {time}
        !(set|make) an alarm for {time} {day}
        I (have|need) to get up {day} at {time}
        {day} I want to (wake up|be woken) at {time}
        !let me sleep until {time} {day}"""),
    ("alarm", "cancel"): ("day time", """
        !(cancel|delete|remove) the alarm for {time} {day}
        do not wake me (up|) {day} at {time}
        I (do not|don't) need the alarm {day} at {time}
        the alarm at {time} {day} is not needed
        {day} I (do not|don't) have to get up at {time}"""),
    ("timer",): ("food duration", """
        !(set|start) a timer for the {food}: {duration}
        the {food} (needs|takes) {duration}
        !tell me in {duration} that the {food} is ready
        !let me know when the {food} has had {duration}
        {duration} for the {food}"""),
    ("remind",): ("task day time", """
        !remind me to {task} {day} at {time}
        !remind me {day} at {time} to {task}
        (don't|do not) let me forget to {task} at {time} {day}
        at {time} {day} I (have|need) to {task}
        !set a reminder for {time} {day}: {task}"""),
    ("ask",): ("person task day", """
        !(ask|tell) {person} to {task} {day}
        {day} {person} (should|has to|must) {task}
        !remind {person} to {task} {day}
        it is the turn of {person} to {task} {day}"""),
    ("meeting", "move"): ("person from:clock to:clock", """
        !move the (meeting|appointment) with {person} from {from} to {to}
        !(shift|reschedule) the (meeting|appointment) with {person} at {from} to {to}
        the (meeting|appointment) with {person} is at {to} instead of {from}
        I (see|meet) {person} at {to}, not at {from}
        I will not (see|meet) {person} at {from} but at {to}
        instead of {from} I want to (see|meet) {person} at {to}"""),
    ("visit", "add"): ("person date clock", """
        !(schedule|arrange|set up) (a meeting|an appointment) with {person} {date} at {clock}
        {date} at {clock} I (meet|will meet|see) {person}
        {person} (comes to see|will meet) me at {clock} {date}
        !put {person} in (the|my) calendar {date} at {clock}"""),
    ("visit", "cancel"): ("person date clock", """
        !(cancel|call off|delete) the (meeting|appointment) with {person} {date} at {clock}
        {date} at {clock} I (cannot|will not) (meet|see) {person}
        {person} (does not come|will not come) to see me at {clock} {date}
        !take {person} out of (the|my) calendar {date} at {clock}"""),
    ("message",): ("person text", """
        !tell {person} (that|) {text}
        !(text|message) {person} that {text}
        !send {person} a message (that|saying) {text}
        !let {person} know that {text}
        {person} should know that {text}"""),
    ("call",): ("person date time", """
        !(call|phone|ring) {person} {date} at {time}
        {date} at {time} I (want|need) to (talk|speak) to {person}
        !connect me with {person} at {time} {date}
        !get {person} on the phone {date} at {time}"""),
    ("forward",): ("thing from:person to:person", """
        !(forward|send|pass on) the {thing} from {from} to {to}
        !(send|give|show) {to} the {thing} from {from}
        {to} should (get|see) the {thing} that {from} sent
        the {thing} that {from} sent is for {to}
        !share with {to} the {thing} {from} sent me"""),
    ("list", "add"): ("count item", """
        !(put|write) {count} {item} on the (shopping|grocery) list
        !add {count} {item} to the (shopping|grocery) list
        we (need|are out of) {item}, {count} of them
        !(buy|get) {count} {item}
        we need {count} {item}"""),
    ("list", "remove"): ("count item", """
        !(take|cross) {count} {item} off the (shopping|grocery) list
        !(remove|delete) {count} {item} from the (shopping|grocery) list
        we (don't|do not) need {count} {item}
        (don't|do not) (buy|get) {count} {item}"""),
    ("two items",): ("count item other:count second:item", """
        !(put|write) {count} {item} and {other} {second} on the (shopping|grocery) list
        !(put|write) {other} {second} and {count} {item} on the (shopping|grocery) list
        !add {other} {second} and {count} {item} to the (shopping|grocery) list
        we need {count} {item} and {other} {second}
        we need {other} {second} and also {count} {item}
        !(buy|get) {count} {item} and {other} {second}"""),
    ("play",): ("genre room", """
        !(play|put on) some {genre} in the {room}
        I (want|would like) to (hear|listen to) {genre} in the {room}
        in the {room}, I want {genre}
        {genre} (for|in) the {room}"""),
    ("volume",): ("volume room", """
        !(turn|put) {volume:loud} the music in the {room}
        !make the music in the {room} {volume}
        the music in the {room} (is|plays) too {volume:too}
        the {room} music should be {volume}"""),
    ("move music",): ("from:room to:room", """
        !(move|send|transfer) the music from the {from} to the {to}
        !play in the {to} what (is playing|plays) in the {from}
        the music in the {from} should play in the {to} instead
        !(stop the music in the {from} and go on|continue) in the {to} with the music of the {from}
        I am going from the {from} to the {to}, so the music should (follow me|come along)"""),
    ("weather",): ("question city date", """
        {question} in {city} {date}
        {question} {date} in {city}
        {date} in {city}, {question}
        I am in {city} {date}, {question} there
        !tell me, {question} in {city} {date}"""),
    ("train",): ("from:city to:city date", """
        when does the train from {from} to {to} (leave|go) {date}
        {date} I (want|need|have) to go from {from} to {to}
        how do I get to {to} from {from} {date}
        !find a train to {to} from {from} {date}
        {date} I leave {from} and (travel|go) to {to}
        I am in {from} and (want|need) to be in {to} {date}"""),
    ("trigger",): ("person presence deed", """
        when {person} {presence}, {deed}
        !{deed} (when|as soon as) {person} {presence}
        (wait until|as soon as) {person} {presence}, (then|) {deed}"""),
    ("sequence",): ("first:deed then:deed", """
        first {first}, then {then}
        !{first} and (then|after that) {then}
        !{then}, but (first|before that) {first}
        before you {then}, {first}
        !{first} before you {then}
        after you {first}, {then}
        !{then} after you {first}"""),
}
ACTIONS = {name: (dict((slot.split(":") * 2)[:2] for slot in slots.split()),
                  [wording.strip() for wording in wordings.split("\n") if wording.strip()])
           for name, (slots, wordings) in ACTIONS.items()}

# Before and behind a request.
FRAMES = [("", ""), ("", ""), ("", "."), ("", "!"), ("", ", thanks"), ("hey, ", ""), ("ok, ", "."), ("hi there, ", "")]
POLITE_FRAMES = FRAMES + [("please ", ""), ("please ", "."), ("", " please"), ("", ", please."), ("could you ", "?"),
                          ("can you ", "?"), ("would you please ", "?"), ("I want you to ", ".")]


def expand(wording, rng):
    """A draw from every choice, the inner ones first."""
    while "(" in wording:
        wording = re.sub(r"\(([^()]*)\)", lambda match: rng.choice(match[1].split("|")), wording)
    return wording


def write(meaning, wording, rng):
    """One sentence of a meaning, by one of its action's wordings."""
    action, *values = meaning
    slots = ACTIONS[action][0]
    values = dict(zip(slots, values))
    text = re.sub(r"\{(\w+):?(\w*)\}", lambda match: TABLES[match[2] or slots[match[1]]][values[match[1]]], wording)
    begin, end = rng.choice(POLITE_FRAMES if text[0] == "!" else FRAMES)
    text = begin + re.sub(" +", " ", expand(text.lstrip("!"), rng)).strip() + end
    return text[0].upper() + text[1:] if rng.random() < 0.5 else text


def write_two(meaning, rng):
    """Two sentences of a meaning, of different wordings of its action."""
    return [write(meaning, wording, rng) for wording in rng.sample(ACTIONS[meaning[0]][1], 2)]


# Meanings: (action, value, ...).

def is_held_out(meaning):
    """One in five, by a checksum that ignores the order of values. Training never sees them in any wording."""
    action, *values = meaning
    return zlib.crc32(repr((action, sorted(map(repr, values)))).encode()) % 5 == 0


def pairs_of(action):
    """The slots of an action that have the same table: pairs of their places in a meaning."""
    kinds = list(ACTIONS[action][0].values())
    return [(i + 1, j + 1) for i, j in itertools.combinations(range(len(kinds)), 2) if kinds[i] == kinds[j]]


def is_whole(meaning):
    """Two slots of one table have different values, and the items of a list are in order."""
    if meaning[0] == ("two items",) and meaning[2] > meaning[4]:
        return False
    return all(meaning[i] != meaning[j] for i, j in pairs_of(meaning[0]))


@functools.cache
def neighbours(kind, value):
    """The values of a table, or actions, that differ from `value` in one part."""
    values = TABLES[kind] if kind else ACTIONS
    return [other for other in values if len(other) == len(value) and sum(a != b for a, b in zip(other, value)) == 1]


def swapped(meaning):
    """The meaning with two values exchanged, such as from and to; the same meaning if its action has no such pair."""
    pairs = pairs_of(meaning[0])
    if not pairs:
        return meaning
    (i, j), values = pairs[0], list(meaning)
    values[i], values[j] = values[j], values[i]
    return tuple(values)


# Actions with such a pair are drawn three times as often. Otherwise training stays for long where exchanged values have
# no influence, as for a bag of words.
DRAWN = [action for action in ACTIONS for _ in range(3 if pairs_of(action) else 1)]


def draw(rng):
    action = rng.choice(DRAWN)
    return (action, *(rng.choice(list(TABLES[kind])) for kind in ACTIONS[action][0].values()))


def change(meaning, rng):
    """A meaning that is easily mistaken for this one: it differs in one value, or is the opposite."""
    action, *values = meaning
    kinds = list(ACTIONS[action][0].values())
    opposites = [other for other in neighbours("", action) if ACTIONS[other][0] == ACTIONS[action][0]]
    if opposites and rng.random() < 0.3:
        return (rng.choice(opposites), *values)
    i = rng.randrange(len(kinds))
    values[i] = rng.choice(neighbours(kinds[i], values[i]) if rng.random() < 0.8 else list(TABLES[kinds[i]]))
    return (action, *values)


def families(rng, size, wanted):
    """Endless families: lists of up to `size` meanings, one, changes of it, and each of these with values exchanged.
    Only meanings with wanted(meaning) are listed."""
    while True:
        meanings, first = {}, draw(rng)
        for meaning in [first] + [change(first, rng) for _ in range(20 * size)]:
            for one in (meaning, swapped(meaning)):
                if len(meanings) < size and is_whole(one) and wanted(one):
                    meanings[one] = None
        if first in meanings:
            yield list(meanings)


def held_out_set():
    """HELD_OUT pairs of sentences, each of another meaning, always the same, in families of up to four."""
    rng, meanings = random.Random(SEED + 1), {}
    for family in families(rng, 4, is_held_out):
        for meaning in family:
            meanings[meaning] = None
        if len(meanings) >= HELD_OUT:
            break
    return [tuple(write_two(meaning, rng)) for meaning in list(meanings)[:HELD_OUT]]


def read_held_out_file(path):
    """The pairs of sentences that heldout.txt lists."""
    return [tuple(line.split("\t")) for line in path.read_text().splitlines()]


def batches(rng, size):
    """Endless batches of `size` training pairs, two sentences of a meaning each, in families of up to four."""
    source = families(rng, 4, lambda meaning: not is_held_out(meaning))
    while True:
        meanings = {}
        while len(meanings) < size:
            for meaning in next(source):
                meanings[meaning] = None
        yield [write_two(meaning, rng) for meaning in list(meanings)[:size]]


if __name__ == "__main__":
    for pair in held_out_set():
        print(*pair, sep="\t")
