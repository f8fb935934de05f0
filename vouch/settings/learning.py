"""What is learned from use, and what stands in its way: labels, gates, shadows, the guard."""

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from vouch.settings.base import Group, day


class GuardSettings(Group):
    """When a promoted model gives way to the one before it (learning/guard.md). `vouch models check` looks, and so does a flow, once an hour."""

    enabled: Annotated[bool, Field(description="Put the former model back when a control limit is crossed; false only says so.")] = True
    false_alarms: Annotated[float, Field(gt=0, le=0.2, description="Chance that a model which is not worse is ever put back, over all figures and all looks.")] = 0.01
    tolerance: Annotated[float, Field(ge=0, le=0.5, description="How much lower a figure of the new model may be, as a share of 1, since questions differ from week to week.")] = 0.02
    baseline: Annotated[int, Field(ge=30, le=100_000, description="Newest answers of the former model, and newest votes on such, that the new one is compared with.")] = 1000
    fewest: Annotated[int, Field(ge=1, description="Answers of the former model, and of the new one, without which nothing is put back; votes decide nothing without as many of them.")] = 50
    per_person: Annotated[int, Field(ge=1, description="Answers to one person, and votes by one person, that count for a model; of no beginning of them more than one and a tenth are of one person.")] = 25


class CalibrationSettings(Group):
    """What `vouch calibrate` makes the evaluator's thresholds from, and when it refuses what it made (learning/calibration.md). Costs are of one question, beside one another."""

    wrong: Annotated[float, Field(ge=0, le=1000, description="Cost of an answer given as certain that is not right.")] = 2.0
    unsure: Annotated[float, Field(ge=0, le=1000, description="Cost of passages shown with caution that do not hold the answer.")] = 0.125
    doubted: Annotated[float, Field(ge=0, le=1000, description="Cost of a right answer given with caution.")] = 0.5
    declined: Annotated[float, Field(ge=0, le=1000, description="Cost of declining a question that the documents answer.")] = 1.0
    questions: Annotated[int, Field(ge=10, description="Questions whose outcome is known, without which it is refused.")] = 50
    each: Annotated[int, Field(ge=2, description="How many of them at least can be answered, and how many cannot.")] = 10
    loss: Annotated[float, Field(ge=0, le=1, description="How much worse it may be than the evaluator that serves, at the lower end of the 95 % interval: in cost of a question, and in log loss of a passage.")] = 0.02


class LabelSettings(Group):
    """What counts how much as a sign that a passage was relevant or not (learning/labels.md). A weight of 0 makes no such label."""

    judged: Annotated[float, Field(ge=0, le=100, description="Weight of a judgment by `vouch label`, or of one that was imported.")] = 1.0
    cited: Annotated[float, Field(ge=0, le=100, description="Weight of a passage's being cited: relevant.")] = 0.2
    caution: Annotated[float, Field(ge=0, le=1, description="Share of that weight where the answer was given with caution.")] = 0.25
    shown: Annotated[float, Field(ge=0, le=100, description="Weight of being given to the writer and not cited: not relevant.")] = 0.1
    up: Annotated[float, Field(ge=0, le=100, description="Weight of a vote up, for what the answer cites: relevant.")] = 0.5
    down_not_asked: Annotated[float, Field(ge=0, le=100, description="Weight of a vote down as not what was asked: what is cited is not relevant.")] = 0.5
    down_wrong: Annotated[float, Field(ge=0, le=100, description="The same as wrong.")] = 0.4
    down_outdated: Annotated[float, Field(ge=0, le=100, description="The same as outdated.")] = 0.2
    down_other: Annotated[float, Field(ge=0, le=100, description="The same for another reason, or none.")] = 0.3
    rephrased: Annotated[float, Field(ge=0, le=100, description="Weight of the asker's asking again in other words, for all that the writer was given: not relevant.")] = 0.1
    rephrased_share: Annotated[float, Field(gt=0, le=1, description="Two questions are the same in other words if at least this share of all their different terms stands in both.")] = 0.5
    rephrased_minutes: Annotated[float, Field(ge=0, le=10_000, description="How long after the answer that counts, in the same thread or elsewhere.")] = 10.0
    ended: Annotated[float, Field(ge=0, le=100, description="Weight of a thread's ending with a sure answer to what its asker did not ask twice, for what it cites: relevant.")] = 0.1
    ended_hours: Annotated[float, Field(gt=0, le=10_000, description="A thread has ended when nobody asked anything in it for this long; nor may its asker have asked nearly the same that long before or after.")] = 24.0
    pool: Annotated[int, Field(ge=1, le=100, description="Passages from each of words, meaning, fusion and reranker that `vouch label` shows for a question.")] = 5
    person_share: Annotated[float, Field(gt=0, le=1, description="Largest share of the weight of all votes, behaviour and citations that one person may hold; of few people, twice an equal part.")] = 0.05
    day_share: Annotated[float, Field(gt=0, le=1, description="Largest share of the same that one day (UTC) may hold; of few days, twice an equal part.")] = 0.25
    judge_share: Annotated[float, Field(gt=0, le=1, description="Largest share of the weight of all labels that one person may hold by judgments, where others judged, voted or asked as well; 25 questions in any case. 1: as much as they judge.")] = 0.1
    contradiction: Annotated[float, Field(ge=1, description="A person whose votes contradict what is fitted of other people's by more than so many standard errors has no part in a fit but by judgments; of at least five who vote, and of a quarter of them at most. 1000: nobody is left out.")] = 3.0
    propensity_clip: Annotated[float, Field(ge=1, le=100, description="A vote on a passage that few readers look at counts for those who did not, at most as this many votes.")] = 2.0


class SwapSettings(Group):
    rate: Annotated[float, Field(ge=0, le=0.5, description="Share of questions for which two passages that follow one another change places by a draw, marked as `swapped` in the answer: from these vouch learns how much a place counts (learning/weights.md).")] = 0.0


class GapSettings(Group):
    """What people do not find, and how far scores drift."""

    weeks: Annotated[int, Field(ge=1, le=52, description="The questions of so many weeks are looked at, and compared with those of as many before.")] = 4
    low_confidence: Annotated[float, Field(ge=0, le=1, description="An answer with less confidence counts as not found.")] = 0.4
    fewest_askers: Annotated[int, Field(ge=2, description="Of what fewer different people asked nothing is told; a word of a title, and an example, needs as many.")] = 3
    fewest_questions: Annotated[int, Field(ge=2, description="A gap has at least so many questions.")] = 3
    alike: Annotated[float, Field(gt=0, lt=1, description="Questions whose vectors have at least this cosine may belong together.")] = 0.55
    old_days: Annotated[int, Field(ge=0, le=36_500, description="The daily digest names documents that answers of the last day cite and that have not changed for more than so many days, where their source tells when they did. 0: none.")] = 365
    drift_days: Annotated[int, Field(ge=1, le=90, description="Scores and features of the last so many days are compared with those of the reference.")] = 7
    drift_from: Annotated[str, AfterValidator(day), Field(description="First day of the week that is the reference. Empty: the week that ends when the learned fusion in use was made, or without one the oldest whole week.")] = ""
    drift_answers: Annotated[int, Field(ge=30, description="At most so many answers of either week are looked at, drawn by their ids.")] = 300


class TrainingSettings(Group):
    """How `vouch train fusion` and the weekly flow learn from labels, and what a model must show before it may serve (learning/training.md)."""

    questions: Annotated[int, Field(ge=1, description="Least questions that a model is fitted on.")] = 50
    held_out: Annotated[int, Field(ge=2, description="Least questions held out that it is judged by.")] = 50
    askers: Annotated[int, Field(ge=1, description="Least different people whose labels it is fitted on; `vouch calibrate` uses no labels of fewer.")] = 5
    labels: Annotated[int, Field(ge=1, description="Least labels that it is fitted on.")] = 200
    loss: Annotated[float, Field(ge=0, le=1, description="The most nDCG@10 that it may lose to the current model, and to reciprocal ranks, by the lower end of the 95 % interval.")] = 0.01
    golden: Annotated[str, Field(description="File of questions with known answers, as `vouch train fusion --questions` reads it, that it must not rank worse than the current model; empty: none.")] = ""
    golden_readers: Annotated[dict[str, str], Field(description="Who asks the questions of a corpus in that file: corpus to access tag; the others are asked by their own `reader`, or the public.")] = {}
    weeks_held_out: Annotated[float, Field(ge=0, le=52, description="Labels of the newest weeks take no part in the fit, though never more than the newest quarter of them; nor are more than the newest quarter of all questions held out for being new.")] = 1.0
    public_only: Annotated[bool, Field(description="Learn only from questions whose readers were `public` alone, and so from documents that everybody may read; labels from behaviour have no part then, since they depend on the next question of a thread, nor have golden questions of other readers.")] = False
    answers: Annotated[int, Field(ge=1, description="Labels of so many answers at most are learned from, and calibrated by: answers that somebody judged first, then the newest.")] = 20_000
    promote: Annotated[Literal["by-hand", "automatic"], Field(description="Who lets a candidate serve that has shadowed long enough and passed its gates: a person with `vouch models promote`; or `vouch train fusion` and the weekly flow by themselves.")] = "by-hand"
    seed: Annotated[int, Field(ge=0, description="Seed of every random choice of the weekly flow.")] = 0


class ShadowSettings(Group):
    answers: Annotated[int, Field(ge=0, description="A learned fusion may be promoted without `--early` once it has shadowed so many answers, ten to one asker at most.")] = 100
    hours: Annotated[float, Field(ge=0, le=8760, description="Or once it has shadowed for so many hours, if that comes first.")] = 168.0
    interleave: Annotated[bool, Field(description="Questions are answered from the orders of the current fusion and of its shadow in turns (team draft), so that what is cited and voted for compares the two. Answers then differ from those without a shadow.")] = False
