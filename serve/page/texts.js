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
    answers: "The question that it answers", saved: "Kept as", undo: "Take back", undone: "taken back by", replaced: "replaced by", who: "Who",
    when: "When", what: "What", decision: "Decision", records: "statements", revision: "Revision of the catalog",
    memories: "approved queries and corrections in use", indexed: "Indexed", dialect: "SQL", tokenNeeded: "A token is needed",
    tokenSay: "The operator makes one with “periplus token create”. It is kept until this tab is closed.", token: "Token",
    enter: "Enter", leave: "Sign out", caller: "Caller", role: "Role", language: "Language", rewrite: "Use the repaired statement",
    openQuery: "Query this table", line: "line", approvedBy: "approved", rejectedBy: "rejected", noRecord: "Statements aren't recorded here.",
    answered: "answered", draft: "Draft", declined: "no answer", sure: "right with a probability of", missing: "What is missing",
    assumed: "Taken for granted", steps: "Steps", working: "The model is at work …", reads: "Shown to the model", remembered: "Remembered",
    modelWrote: "The model has answered", repaired: "Repaired", askAgain: "Ask again with that",
    graph: "Joins", graphSay: "Keys lead from left to right: a table refers to those right of it. Dashed keys are inferred. Drag to move; + and − zoom.",
    areasSay: "The schema is too large to be drawn whole. These are its areas, each called by the table that most of its others refer to.",
    inNoArea: "tables belong to no area", allAreas: "All areas", keysTo: "Keys to", zoomIn: "Zoom in", zoomOut: "Zoom out", fit: "Fit",
    judgeSay: "Confirm what matters; what you dismiss is told to nobody any more.", notJudged: "not judged", confirmed: "confirmed", dismissed: "dismissed",
    edit: "Edit texts and facts", editSay: "What you write wins over what was generated, and no run overwrites it. Empty a field to have it generated again.",
    byPerson: "by a person", context: "What to know before using it", save: "Save", cancel: "Cancel", indexRuns: "Index runs", indexNow: "Index now",
    indexFull: "every table again, changed or not", running: "running", done: "done", failed: "failed", cancelled: "cancelled",
    rowsOne: "row", tablesOne: "table", rowsSay: "What its rows say", alike: "Look-alikes", readBy: "Read by", saveAnyway: "Save anyway",
    readAgain: "Read them again", unsaved: "What you have written isn't saved. Go on all the same?", earlier: "Rows of the statement before:",
    noModel: "No model is configured here, so nobody writes statements for you. Find tables shows what a question needs.",
    noView: "There is nothing at this address.", noneCalled: "No table is called so. For a whole question there is", withChecks: "with statements that were only checked",
    outcome: "Outcome", names: "What fits here: arrow down and Enter take one", moreNames: "more; type on",
    notRun: "It wasn't run: what stands against it is said above.", staleSay: "nothing new for over a year",
    chart: "Chart", chartLine: "Line chart", chartBars: "Bar chart", chartSay: "All values are in the table below.",
    compare: "Compare", compareWith: "Compare with", compareOther: "Compare with another table", otherTable: "Other table", both: "Both tables",
    latest: "Latest row", onlyIn: "only in", otherType: "other type", withOtherType: "with another type", inBoth: "in both",
    distribution: "Distribution", difference: "Difference", columnsCut: "Not all columns were told, so some may be missing here that both have.",
    hits: "In columns, values and queries", hitsNear: "Nearest in meaning", hitsCount: "hits", hitsCountOne: "hit", hit_table: "description", hit_part: "description", hit_union: "tables that belong together",
    hit_column: "column", hit_query: "query", hit_relationship: "joins", hit_example: "approved query",
    terms: "Glossary", searchTerms: "Search terms", termsCount: "terms", termsCountOne: "term",
    noTerms: "There are no terms yet. “periplus terms” adds some, and proposes them from query logs and dbt.", notUsed: "Not used",
    computed: "How it is computed", ofTable: "Of", origin: "From", origin_person: "a person", origin_dbt: "a dbt project", origin_usage: "query logs",
    origin_approved_query: "an approved query", proposed: "proposed", approvedTerm: "approved", rejectedTerm: "rejected",
  },
  de: {
    catalog: "Katalog", find: "Tabellen finden", query: "Abfrage", feedback: "Rückmeldungen", history: "Verlauf", status: "Status",
    skip: "Zum Inhalt", search: "Tabellen suchen", tables: "Tabellen", more: "Mehr zeigen", loading: "Lädt …",
    none: "Hier ist nichts.", name: "Name", type: "Typ", values: "Werte", description: "Beschreibung", rows: "Zeilen",
    about: "etwa", stale: "veraltet", masked: "maskiert", nulls: "NULL", distinct: "verschiedene Werte", columns: "Spalten",
    key: "Primärschlüssel", purpose: "Zweck", oneRow: "Eine Zeile ist", refers: "Verweist auf", referred: "Darauf verweisen",
    inferred: "vermutet", sample: "Beispielzeilen", approved: "Abfragen", indexes: "Indizes", notes: "Hinweise",
    neighbours: "Nachbarn", neighboursSay: "Tabellen, die auf diese verweisen, und auf die sie verweist. Gestrichelte Verbindungen sind vermutet.",
    omitted: "weitere Tabellen sind nicht gezeichnet", question: "Frage", ask: "Frage stellen", needed: "Tabellen, auf die es ankommt", why: "Warum",
    against: "Dagegen", aside: "Vermutlich nicht nötig", perhaps: "Vielleicht nötig", stored: "Wörter und wie sie gespeichert sind",
    joins: "Verknüpfungen", examples: "Freigegebene Abfragen", unmatched: "Kein Name oder Wert passt zu", elsewhere:
      "Das sieht nicht nach einer Frage an diese Datenbank aus.", statement: "SQL-Anweisung", source: "Quelle", run: "Ausführen",
    stop: "Anhalten", checked: "Nichts einzuwenden.", refused: "abgelehnt", accepted: "angenommen", took: "ms", cut: "nicht alle Zeilen",
    download: "CSV herunterladen", approve: "Als Antwort freigeben", reject: "Verwerfen", correction: "Was falsch ist oder wie es sein soll",
    answers: "Welche Frage beantwortet diese Abfrage?", saved: "Gespeichert als Nr.", undo: "Zurücknehmen", undone: "zurückgenommen von", replaced: "ersetzt durch", who: "Wer",
    when: "Wann", what: "Was", decision: "Entscheidung", records: "Anweisungen", revision: "Stand des Katalogs",
    memories: "freigegebene Abfragen und Korrekturen in Verwendung", indexed: "Zuletzt indiziert", dialect: "SQL", tokenNeeded: "Anmeldung: bitte Token eingeben",
    tokenSay: "Die Administration erstellt es mit „periplus token create“. Es wird nur gespeichert, bis Sie diesen Tab schließen.", token: "Token",
    enter: "Weiter", leave: "Abmelden", caller: "Angemeldet als", role: "Rolle", language: "Sprache", rewrite: "Die berichtigte Anweisung nehmen",
    openQuery: "Diese Tabelle abfragen", line: "Zeile", approvedBy: "freigegeben", rejectedBy: "verworfen", noRecord: "Anweisungen werden hier nicht aufgezeichnet.",
    answered: "beantwortet", draft: "Entwurf", declined: "keine Antwort", sure: "richtig mit einer Wahrscheinlichkeit von", missing: "Was fehlt",
    assumed: "Vorausgesetzt", steps: "Schritte", working: "Das Modell arbeitet …", reads: "Dem Modell gezeigt", remembered: "Erinnert",
    modelWrote: "Das Modell hat geantwortet", repaired: "Berichtigt", askAgain: "Damit noch einmal fragen",
    graph: "Verknüpfungen", graphSay: "Schlüssel führen von links nach rechts: Eine Tabelle verweist auf die rechts von ihr. Gestrichelte Verbindungen sind vermutet. Zum Verschieben ziehen, mit + und − zoomen.",
    areasSay: "Das Schema ist zu groß, um ganz gezeichnet zu werden. Das sind seine Bereiche, jeder nach der Tabelle benannt, auf die die meisten anderen verweisen.",
    inNoArea: "Tabellen gehören zu keinem Bereich", allAreas: "Alle Bereiche", keysTo: "Schlüssel zu", zoomIn: "Vergrößern", zoomOut: "Verkleinern", fit: "Einpassen",
    judgeSay: "Bestätigen Sie, was wichtig ist; was Sie verwerfen, erfährt niemand mehr.", notJudged: "nicht beurteilt", confirmed: "bestätigt", dismissed: "verworfen",
    edit: "Texte und Fakten bearbeiten", editSay: "Ihre Texte haben Vorrang vor den automatisch erzeugten und werden nie überschrieben. Ein leeres Feld wird wieder erzeugt.",
    byPerson: "von einem Menschen", context: "Was man vor dem Gebrauch wissen sollte", save: "Speichern", cancel: "Abbrechen", indexRuns: "Indexläufe", indexNow: "Jetzt indizieren",
    indexFull: "auch unveränderte Tabellen neu einlesen", running: "läuft", done: "fertig", failed: "fehlgeschlagen", cancelled: "abgebrochen",
    rowsOne: "Zeile", tablesOne: "Tabelle", rowsSay: "Was die Zeilen sagen", alike: "Ähnliche Tabellen", readBy: "Gelesen von", saveAnyway: "Trotzdem speichern",
    readAgain: "Neu laden", unsaved: "Ihr Text ist nicht gespeichert. Trotzdem weiter?", earlier: "Zeilen der vorigen Anweisung:",
    noModel: "Hier ist kein Modell eingerichtet, das Anweisungen schreibt. „Tabellen finden“ zeigt, was eine Frage braucht.",
    noView: "Unter dieser Adresse gibt es nichts.", noneCalled: "Keine Tabelle heißt so. Für eine ganze Frage gibt es", withChecks: "mit nur geprüften Anweisungen",
    outcome: "Ergebnis", names: "Was hier passt: Pfeil nach unten und Eingabe übernehmen es", moreNames: "weitere; tippen Sie weiter",
    notRun: "Nicht ausgeführt: Was dagegen spricht, steht oben.", staleSay: "seit über einem Jahr nichts Neues",
    chart: "Diagramm", chartLine: "Liniendiagramm", chartBars: "Balkendiagramm", chartSay: "Alle Werte stehen in der Tabelle darunter.",
    compare: "Vergleichen", compareWith: "Vergleichen mit", compareOther: "Mit einer anderen Tabelle vergleichen", otherTable: "Andere Tabelle", both: "Beide Tabellen",
    latest: "Jüngste Zeile", onlyIn: "nur in", otherType: "anderer Typ", withOtherType: "mit anderem Typ", inBoth: "in beiden",
    distribution: "Verteilung", difference: "Unterschied", columnsCut: "Es wurden nicht alle Spalten mitgeteilt; manche, die beide haben, fehlen hier vielleicht.",
    hits: "In Spalten, Werten und Abfragen", hitsNear: "Der Bedeutung nach am nächsten", hitsCount: "Treffer", hit_table: "Beschreibung", hit_part: "Beschreibung", hit_union: "Tabellen, die zusammengehören",
    hit_column: "Spalte", hit_query: "Abfrage", hit_relationship: "Verknüpfungen", hit_example: "freigegebene Abfrage",
    terms: "Glossar", searchTerms: "Begriffe suchen", termsCount: "Begriffe", termsCountOne: "Begriff",
    noTerms: "Es gibt noch keine Begriffe. „periplus terms“ legt welche an und schlägt sie aus Abfrageprotokollen und dbt vor.", notUsed: "Nicht verwendet",
    computed: "So berechnet", ofTable: "Aus", origin: "Herkunft", origin_person: "von einem Menschen", origin_dbt: "dbt-Projekt", origin_usage: "Abfrageprotokolle",
    origin_approved_query: "freigegebene Abfrage", proposed: "vorgeschlagen", approvedTerm: "gilt", rejectedTerm: "abgelehnt",
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
const rounded = new Intl.NumberFormat(language, { maximumFractionDigits: 2 });
const tiny = new Intl.NumberFormat(language, { maximumSignificantDigits: 3 });
const short = new Intl.NumberFormat(language, { notation: "compact", maximumSignificantDigits: 3 });
const percent = new Intl.NumberFormat(language, { style: "percent", maximumFractionDigits: 1 });
/** How many of something there are: `rows`, of one `row`. */
export const counted = (value, name) => `${count(value)} ${(value === 1 && TEXTS[language][`${name}One`]) || t(name)}`;
/** A number of any size, as exact as one can read it beside others. */
export const amount = (value) => (Math.abs(value) < 1 ? tiny : rounded).format(value);
export const brief = (value) => short.format(value);
export const share = (value) => percent.format(value);
const moment = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" });
export const time = (value) => (value ? moment.format(new Date(value)) : "");
