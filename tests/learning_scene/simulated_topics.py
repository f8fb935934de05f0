"""Questions of known topics, in the words of many people, for encoders that know meanings."""

TOPICS = {
    "badge": [
        "How do I renew my door badge?", "My badge expired, who renews it?", "Where do I get a new badge for the door?",
        "badge does not open the door any more", "Who replaces a lost badge?", "renewal of an expired badge",
    ],
    "visa": [
        "Do I need a visa for Brazil?", "Who pays for my visa to Brazil?", "visa application for a trip to Brazil",
        "How long does a Brazil visa take?", "business visa Brazil", "Can I get a visa for travel to Brazil?",
    ],
    "parking": [
        "Is there parking for bicycles?", "Where can I park my bike?", "bicycle parking in the garage",
        "Can I leave my bike in the garage overnight?", "bike parking near the office", "Where do bikes park?",
    ],
    "parental leave": [
        "How long is parental leave for fathers?", "Can both parents take parental leave?", "parental leave duration",
        "Is parental leave paid?", "When must I announce parental leave?", "parental leave for adoption",
    ],
    "laptop": [
        "My laptop battery dies quickly, can I get a new one?", "How do I order a replacement laptop?",
        "laptop replacement cycle", "When do we get new laptops?", "Who repairs a broken laptop?",
        "request for a new laptop",
    ],
}
ALONE = [
    "What does the CEO think of jazz?", "How many stairs are in the tower?", "What is the melting point of lead?",
    "Who won the chess tournament in 1972?", "recipe for pancakes without eggs", "Why is the sky red on Mars?",
    "Is the stapler in room 14 haunted?", "translate good morning to Finnish", "average depth of the Baltic Sea",
    "Which cactus blooms at night?",
]
# An English encoder finds some of these alike, though they share nothing but their language.
IN_GERMAN = [
    "Wo ist der nächste drucker?", "Wie viel urlaub habe ich im jahr?", "Wann bekomme ich mein gehalt?",
    "Wer repariert mein fahrrad?", "Wie melde ich mich krank?", "Welche kantine hat vegane gerichte?",
    "Wo kann ich mein auto parken?", "Wie beantrage ich eine neue maus?", "Wann muss ich die reise abrechnen?",
    "Wer hilft mir mit dem laptop?", "Wie kann ich meinen ausweis verlängern?", "Wo finde ich die sicherheitsregeln?",
    "Wie lange dauert die probezeit?", "Wer bezahlt meine bahnkarte?", "Wann ist das sommerfest?",
    "Wie ändere ich mein passwort?", "Wo ist der schlüssel für den keller?", "Wer bestellt den kaffee?",
    "Wie kündige ich mein abo?", "Wann schließt das büro am freitag?",
]
