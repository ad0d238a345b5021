// What the page says, in each of its languages.

const TEXTS = {
  en: {
    catalog: "Catalog", find: "Find tables", query: "Query", feedback: "Feedback", history: "History", status: "Status",
    skip: "Skip to the content", search: "Search tables", tables: "tables", more: "Show more", loading: "Loading …",
    none: "Nothing here.", name: "Name", type: "Type", values: "Values", description: "Description", rows: "rows",
    about: "about", stale: "out of date", masked: "masked", nulls: "NULL", distinct: "different values", columns: "Columns",
    key: "primary key", purpose: "Purpose", oneRow: "One row is", refers: "Refers to", referred: "Referred to by",
    inferred: "inferred", sample: "Sample rows", approved: "Queries", indexes: "Indexes", notes: "Notes",
    neighbours: "Neighbours", neighboursSay: "Tables that refer to this one, and that it refers to. Dashed keys are inferred.",
    omitted: "more tables aren't drawn", question: "Question", ask: "Ask", needed: "Tables that matter", why: "Why",
    against: "Against it", aside: "Put aside", perhaps: "Perhaps needed", stored: "Words and how they are stored",
    joins: "Joins", examples: "Approved queries", unmatched: "No name or value matches", elsewhere:
      "This doesn't look like a question for this database.", statement: "Statement", source: "Source", run: "Run",
    stop: "Stop", checked: "Nothing to object to.", refused: "refused", accepted: "accepted", took: "ms", cut: "not all rows",
    download: "Download CSV", approve: "Approve as the answer", reject: "Reject", correction: "What is wrong, or how it should be",
    answers: "The question that it answers", saved: "Kept as", undo: "Take back", undone: "taken back by", who: "Who",
    when: "When", what: "What", decision: "Decision", records: "statements", revision: "Revision of the catalog",
    memories: "approved queries and corrections in use", indexed: "Indexed", dialect: "SQL", tokenNeeded: "A token is needed",
    tokenSay: "The operator makes one with “periplus token create”. It is kept until this tab is closed.", token: "Token",
    enter: "Enter", leave: "Forget the token", caller: "Caller", role: "Role", language: "Language", rewrite: "Use the repaired statement",
    openQuery: "Query this table", line: "line", approvedBy: "approved", rejectedBy: "rejected", noRecord: "Statements aren't recorded here.",
    answered: "answered", draft: "Draft", declined: "no answer", sure: "right with a probability of", missing: "What is missing",
    assumed: "Taken for granted", steps: "Steps", working: "The model is at work …", reads: "Shown to the model", remembered: "Remembered",
    modelWrote: "The model has answered", repaired: "Repaired", askAgain: "Ask again with that",
    graph: "Joins", graphSay: "Arrows of keys lead from left to right: a table refers to those right of it. Dashed keys are inferred. Drag to move; + and − zoom.",
    areasSay: "The schema is too large to be drawn whole. These are its areas, each called by the table that most of its others refer to.",
    inNoArea: "tables belong to no area", allAreas: "All areas", keysTo: "Keys to", zoomIn: "Zoom in", zoomOut: "Zoom out", fit: "Fit",
    edit: "Edit texts", editSay: "What you write wins over what was generated, and no run overwrites it. Empty a field to have it generated again.",
    byPerson: "by a person", context: "What to know before using it", save: "Save", cancel: "Cancel", indexRuns: "Index runs", indexNow: "Index now",
    indexFull: "every table again, changed or not", running: "running", done: "done", failed: "failed", cancelled: "cancelled",
  },
  de: {
    catalog: "Katalog", find: "Tabellen finden", query: "Abfrage", feedback: "Rückmeldungen", history: "Verlauf", status: "Zustand",
    skip: "Zum Inhalt", search: "Tabellen suchen", tables: "Tabellen", more: "Mehr zeigen", loading: "Lädt …",
    none: "Hier ist nichts.", name: "Name", type: "Typ", values: "Werte", description: "Beschreibung", rows: "Zeilen",
    about: "etwa", stale: "veraltet", masked: "verdeckt", nulls: "NULL", distinct: "verschiedene Werte", columns: "Spalten",
    key: "Primärschlüssel", purpose: "Zweck", oneRow: "Eine Zeile ist", refers: "Verweist auf", referred: "Darauf verweisen",
    inferred: "erschlossen", sample: "Beispielzeilen", approved: "Abfragen", indexes: "Indizes", notes: "Hinweise",
    neighbours: "Nachbarn", neighboursSay: "Tabellen, die auf diese verweisen, und auf die sie verweist. Gestrichelte Schlüssel sind erschlossen.",
    omitted: "weitere Tabellen sind nicht gezeichnet", question: "Frage", ask: "Fragen", needed: "Tabellen, auf die es ankommt", why: "Warum",
    against: "Dagegen", aside: "Beiseitegelegt", perhaps: "Vielleicht nötig", stored: "Wörter und wie sie gespeichert sind",
    joins: "Verknüpfungen", examples: "Gebilligte Abfragen", unmatched: "Kein Name oder Wert passt zu", elsewhere:
      "Das sieht nicht nach einer Frage an diese Datenbank aus.", statement: "Anweisung", source: "Quelle", run: "Ausführen",
    stop: "Anhalten", checked: "Nichts einzuwenden.", refused: "abgelehnt", accepted: "angenommen", took: "ms", cut: "nicht alle Zeilen",
    download: "CSV herunterladen", approve: "Als Antwort billigen", reject: "Verwerfen", correction: "Was falsch ist oder wie es sein soll",
    answers: "Die Frage, die sie beantwortet", saved: "Behalten als", undo: "Zurücknehmen", undone: "zurückgenommen von", who: "Wer",
    when: "Wann", what: "Was", decision: "Entscheidung", records: "Anweisungen", revision: "Stand des Katalogs",
    memories: "gebilligte Abfragen und Berichtigungen in Gebrauch", indexed: "Erfasst", dialect: "SQL", tokenNeeded: "Ein Token ist nötig",
    tokenSay: "Wer den Server betreibt, erstellt eines mit „periplus token create“. Es bleibt, bis dieser Tab geschlossen wird.", token: "Token",
    enter: "Weiter", leave: "Token vergessen", caller: "Wer fragt", role: "Rolle", language: "Sprache", rewrite: "Die berichtigte Anweisung nehmen",
    openQuery: "Diese Tabelle abfragen", line: "Zeile", approvedBy: "gebilligt", rejectedBy: "verworfen", noRecord: "Anweisungen werden hier nicht aufgezeichnet.",
    answered: "beantwortet", draft: "Entwurf", declined: "keine Antwort", sure: "richtig mit einer Wahrscheinlichkeit von", missing: "Was fehlt",
    assumed: "Vorausgesetzt", steps: "Schritte", working: "Das Modell arbeitet …", reads: "Dem Modell gezeigt", remembered: "Erinnert",
    modelWrote: "Das Modell hat geantwortet", repaired: "Berichtigt", askAgain: "Damit noch einmal fragen",
    graph: "Verknüpfungen", graphSay: "Schlüssel führen von links nach rechts: Eine Tabelle verweist auf die rechts von ihr. Gestrichelte sind erschlossen. Ziehen verschiebt; + und − vergrößern und verkleinern.",
    areasSay: "Das Schema ist zu groß, um ganz gezeichnet zu werden. Das sind seine Bereiche, jeder nach der Tabelle benannt, auf die die meisten anderen verweisen.",
    inNoArea: "Tabellen gehören zu keinem Bereich", allAreas: "Alle Bereiche", keysTo: "Schlüssel zu", zoomIn: "Vergrößern", zoomOut: "Verkleinern", fit: "Einpassen",
    edit: "Texte bearbeiten", editSay: "Was Sie schreiben, gilt vor dem, was erzeugt wurde, und kein Lauf überschreibt es. Ein leeres Feld wird wieder erzeugt.",
    byPerson: "von einem Menschen", context: "Was man vor dem Gebrauch wissen sollte", save: "Speichern", cancel: "Abbrechen", indexRuns: "Läufe", indexNow: "Jetzt erfassen",
    indexFull: "alle Tabellen neu, ob geändert oder nicht", running: "läuft", done: "fertig", failed: "fehlgeschlagen", cancelled: "abgebrochen",
  },
};

const KEY = "periplus-language";
export const languages = Object.keys(TEXTS);
export const language = languages.find((one) => one === localStorage.getItem(KEY))
  ?? languages.find((one) => navigator.language.startsWith(one)) ?? "en";
document.documentElement.lang = language;

export function choose(one) {
  localStorage.setItem(KEY, one);
  location.reload();
}

/** The text of that name. */
export const t = (name) => TEXTS[language][name];

const number = new Intl.NumberFormat(language);
export const count = (value) => number.format(value);
const percent = new Intl.NumberFormat(language, { style: "percent", maximumFractionDigits: 1 });
export const share = (value) => percent.format(value);
const moment = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" });
export const time = (value) => (value ? moment.format(new Date(value)) : "");
