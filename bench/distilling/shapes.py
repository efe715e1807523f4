"""The shapes of sentences of a made-up encyclopedia, and the words that stand in them."""

from __future__ import annotations

KINDS = {"person": 5, "film": 3, "record": 2, "town": 3, "group": 2, "event": 1, "study": 4}
"""How often an article is of each kind."""


def _each(words: str) -> list[str]:
    return words.split()


WORDS = {
    "title of person": ["{person}"],
    "title of film": ["{work}", "{work}", "{work} (film)"],
    "title of record": ["{work}"],
    "title of town": ["{town}", "{city}"],
    "title of group": ["{company}", "{university}", "{club}", "{band}"],
    "title of event": ["Battle of {city}", "Treaty of {city}", "Siege of {city}", "{city} Open"],
    "title of study": [
        "{gene} regulates {process} in {cells}",
        "{gene} and {gene} cooperate in {process}",
        "Effect of {gene} inhibition on {disease}",
        "Association of {gene} variants with {disease}",
        "{process} and the risk of {disease}",
    ],
    "work": [
        *("The {noun}", "{noun} of the {noun}", "{noun} and {noun}", "The {noun} {noun}"),
        *("A {noun} in {city}", "{noun}", "My {noun}", "The Last {noun}", "Return to {city}"),
        *("{noun} {noun} {noun}", "Night of the {noun}", "{surname}'s {noun}"),
    ],
    "town": ["{noun}ville", "{noun}ton", "{noun}ford", "{noun} Springs", "{noun} Falls"],
    "company": [
        *("{surname} Records", "{surname} Pictures", "{surname} Industries", "{surname} Motors"),
        *("{surname} Brothers", "{noun} Entertainment", "{noun} Ltd", "{surname} Press"),
    ],
    "university": [
        *("University of {city}", "{city} University", "{surname} College"),
        *("{city} School of Medicine", "{city} School of Law"),
    ],
    "band": ["The {noun}s", "{noun}", "{noun} {noun}"],
    "club": ["{city} F.C.", "{city} United", "{city} Tigers", "{city} Rovers", "{city} Kings"],
    "nation": _each("""
        American British English Scottish Irish Welsh Canadian Australian French German Italian
        Spanish Portuguese Dutch Belgian Swedish Norwegian Danish Finnish Polish Czech Hungarian
        Romanian Russian Ukrainian Greek Turkish Indian Chinese Japanese Korean Brazilian Argentine
        Mexican Israeli Iranian Egyptian Nigerian Kenyan Austrian Swiss Serbian Croatian
    """),
    "office": _each("""
        director actor actress politician footballer singer songwriter composer novelist poet
        painter architect historian physicist chemist mathematician botanist lawyer businessman
        journalist screenwriter producer cricketer cyclist sculptor philosopher bishop general
        admiral king queen duke countess rapper drummer guitarist photographer explorer economist
        judge wrestler boxer sprinter dancer theologian engineer astronaut surgeon
    """),
    "genre": _each("""
        comedy drama thriller horror western musical documentary crime war silent adventure
        animated fantasy mystery action
    """),
    "music": _each("rock pop jazz country folk metal electronic soul punk blues classical reggae"),
    "settlement": _each("town village municipality city commune district suburb"),
    "water": _each("river lake mountain island castle bridge"),
    "cells": [
        *("mice", "T cells", "macrophages", "embryonic stem cells", "neurons", "zebrafish"),
        *("yeast", "human fibroblasts", "rats", "hepatocytes", "patients", "tumor cells"),
    ],
    "disease": [
        *("breast cancer", "type 2 diabetes", "obesity", "malaria", "tuberculosis", "stroke"),
        *("heart failure", "asthma", "leukemia", "lung cancer", "schizophrenia", "hypertension"),
        *("osteoporosis", "influenza", "melanoma", "sepsis", "multiple sclerosis"),
    ],
    "design": [
        "randomised controlled trial",
        "meta-analysis",
        "cohort study",
        "case-control study",
    ],
    "people": ["women", "men", "children", "adults", "participants"],
}

FIRST = {
    "person": [
        "{title} ({date} - {date}) was a {nation} {office}.",
        "{title} (born {date}) is a {nation} {office}.",
        "{title} was a {nation} {office} and {office}.",
        '{title} (born {year} in {place}) is a {nation} {office} known for "{work}" ({year}).',
        "{title} (died {old}) was a {office} of {place}.",
    ],
    "film": [
        "{title} is a {year} {nation} {genre} film directed by {person} and starring {person}.",
        "{title} is a {year} {genre} film written and directed by {person}.",
        "{title} is a {nation} television series created by {person} that first aired in {year}.",
        "{title} is a {genre} film of {year}, produced by {person} for {company}.",
    ],
    "record": [
        '"{title}" is a song by {nation} {music} singer {person} from the album {work} ({year}).',
        "{title} is the second studio album by {nation} {music} band {band}, released on {date}.",
    ],
    "town": [
        "{title} is a {settlement} in {place}.",
        "{title} is a {water} in {place}.",
        "{title} is a county in {country}. Its county seat is {city}.",
    ],
    "group": [
        "{title} is a {nation} company headquartered in {place}.",
        "{title} is a public university in {place}, founded in {year}.",
        "{title} are a {music} band from {place} formed in {year} by {person} and {person}.",
        "{title} is a football club based in {place}.",
    ],
    "event": [
        "The {title} took place on {date} between the army of {person} and that of {person}.",
        "The {title} was held in {place} on {date}; {person} won ahead of {person}.",
        "The {title} was signed in {year} by {country} and {country}.",
    ],
    "study": [
        "{gene} plays an important role in {process}, but how is poorly understood.",
        "BACKGROUND The burden of {disease} is increasing in {country}.",
        "Here we show that {gene} binds to {gene} and is required for {process}.",
    ],
}

REST = {
    "person": [
        "{last} was born in {place}, the child of {person} and {person}.",
        "{last} was educated at {university} and {university}.",
        "{last} married {person} in {year}.",
        'In {year} {last} directed the film "{work}", starring {person} and {person}.',
        "{last} played for {club} and the national team, scoring {few} goals.",
        "A brother, {person}, was also a {office}.",
        "{last} died in {place} at the age of {few}.",
        "{last} was awarded the {surname} Prize in {year} for {work}.",
        'As a member of {band}, {last} released the album "{work}" on {company}.',
        "In {year} {last} was elected to Parliament for {city}.",
        "{last} succeeded {person} as governor of {city}.",
        'A first novel, "{work}", was published by {company} in {year}.',
        "{last} moved to {place} in {year} and worked for {company}.",
    ],
    "film": [
        "It is based on the novel of the same name by {person}.",
        "The music was composed by {person}.",
        "The film was shot in {place} and {place}.",
        "It tells the story of {person}, a {office} who falls in love with {person}.",
        "It premiered on {date} at the {city} Film Festival.",
        "{person} won an award for best screenplay.",
        'It was remade in {year} as "{work}".',
        "{company} distributed the film.",
    ],
    "record": [
        "It was written by {person} and {person} and produced by {person}.",
        "It reached number {few} on the national chart.",
        "It was recorded in {place}.",
        "It was covered by {person} in {year}.",
        "The group consists of {person}, {person} and {person}.",
    ],
    "town": [
        "It lies {few} km north of {city} on the {noun} River.",
        "It was founded in {old} by {person} and named after {person}.",
        "The population was {many} at the {year} census.",
        "It is the birthplace of {person}, a {nation} {office}.",
        "The {surname} family owned the castle until {year}.",
        "It borders {place} and {place}.",
        "{university} and the {surname} Museum are located here.",
        "The area was occupied by {nation} forces in {year}.",
    ],
    "group": [
        "It was founded by {person} in {year}.",
        "In {year} it was acquired by {company}.",
        "Its chief executive is {person}.",
        "It plays at {surname} Stadium in {city}.",
        "It has {many} employees.",
        "Notable members include {person}, {person} and {person}.",
        "It is a subsidiary of {company}.",
    ],
    "event": [
        "It was part of the {noun} War.",
        "About {many} soldiers were killed.",
        "{country} was represented by {person}.",
        "It ended the conflict over {place}.",
        "{person} was the defending champion.",
    ],
    "study": [
        "Loss of {gene} in {cells} leads to reduced {process} and {process}.",
        "METHODS We conducted a {design} of {many} {people} with {disease} in {country}.",
        "RESULTS The hazard ratio for {disease} was {ratio} (95% CI {ratio}-{ratio}).",
        "{gene} expression was {few}-fold higher in patients with {disease} than in controls.",
        "These findings suggest that {gene} is a therapeutic target for {disease}.",
        "CONCLUSIONS Treatment with {gene} did not reduce mortality from {disease}.",
        "Using genome-wide screens, we identified {few} genes involved in {process}.",
    ],
}
