import type { Texts } from "../en.ts";

/** German texts of the pages of the model. */
export const model: Texts["model"] = {
  page: "Modell",
  help: "Klassen mit ihren Attributen und Rechten. Änderungen werden hier gesammelt und nach einer Prüfung zusammen angewendet.",
  views: "Ansichten des Modells",
  classes: "Klassen",
  create: "Klasse anlegen",
  classNameHelp:
    "Ein Buchstabe, dann Buchstaben, Ziffern und _, mit einem Kleinbuchstaben. Der Name lässt sich später nicht ändern.",
  nameTaken: "Dieser Name ist vergeben.",
  wrongName: "Der Name muss ein Buchstabe sein, dann Buchstaben, Ziffern und _, zusammen höchstens 63.",
  base: "Basisklasse",
  baseHelp:
    "Die Klasse erbt die Attribute ihrer Basis. Listen der Basis enthalten ihre Objekte. Rechte werden nicht vererbt.",
  title: "Titel",
  titleHelp:
    "Pfad zum Wert, der ein Objekt für Menschen benennt, wie Name oder Customer.Name. Ohne ihn gilt der der Basis.",
  noBase: "Basisklasse entfernen",
  builtIn: "Eingebaut",
  states: { created: "Neu", changed: "Geändert", removed: "Gelöscht" },
  attributes: "Attribute",
  links: "Verweise",
  indexes: "Indizes",
  indexProgress: (ready: number, count: number) =>
    ready === count ? `${count} bereit` : `${ready} von ${count} bereit`,
  objects: "Objekte",
  file: "Modelldatei",
  download: "Herunterladen",
  downloadAll: "Mit den Rechten aller Gruppen",
  downloadNew: "Für eine neue Datenbank, ohne Gruppen",
  upload: "Hochladen und Änderungen prüfen",
  sameFile: "Die Datei ändert nichts.",
  notLoaded: "Die Modelldatei wurde nicht geladen",
  wrongFile: (place: string) => `Die Datei ist keine Modelldatei. Siehe den Wert bei ${place}.`,
  remove: (name: string) => `${name} löschen`,
  removeHelp:
    "Die Klasse darf keine Objekte, Unterklassen und Verweise haben. Sie wird mit den anderen Änderungen nach der Prüfung gelöscht.",
  keep: "Klasse behalten",
  addAttribute: "Attribut hinzufügen",
  attribute: (name: string) => `Attribut ${name}`,
  noAttributes: "Die Klasse hat keine Attribute.",
  from: (className: string) => `aus ${className}`,
  building: "Index wird aufgebaut",
  removeAttribute: (name: string) => `${name} entfernen`,
  add: "Hinzufügen",
  take: "In das Formular übernehmen",
  nameHelp: "Ein Buchstabe, dann Buchstaben, Ziffern und _.",
  storedNameHelp:
    "Der Name lässt sich nicht ändern. Fügen Sie ein anderes Attribut hinzu, kopieren Sie die Werte, und entfernen Sie dieses.",
  type: "Typ",
  types: {
    string: "Text",
    number: "Zahl",
    boolean: "Ja oder nein",
    date: "Datum",
    json: "JSON",
    file: "Datei",
    reference: "Verweis",
    collection: "Sammlung",
  },
  target: "Zielklasse",
  targetHelp: "Auch Objekte ihrer Unterklassen sind gültig.",
  mandatory: "Pflicht",
  mandatoryHelp: "Jedes Objekt hat einen Wert.",
  indexed: "Indiziert",
  indexedHelp: "Filter und Sortierung sind schnell. Der Index wird im Hintergrund aufgebaut.",
  deleteRule: "Wenn das Ziel gelöscht wird",
  deleteRules: {
    refuse: "Löschen ablehnen",
    clear: "Wert entfernen",
    cascade: "dieses Objekt auch löschen",
  },
  onDeletion: (rule: string) => `beim Löschen: ${rule}`,
  readBy: (groups: string) => (groups === "" ? "nur Administratoren lesen es" : `gelesen von ${groups}`),
  review: "Änderungen prüfen",
  reviewHelp: "Die Klassen werden nacheinander geändert. Wird eine Änderung abgelehnt, bleiben die davor bestehen.",
  part: "Teil",
  changedTo: "Geändert in",
  rightsOf: (group: string) => `Rechte von ${group}`,
  inTheWay: "Objekte im Weg",
  obstacles: {
    object: () => "gehören zur Klasse",
    value: (attribute: string) => `haben einen Wert von ${attribute}, der verloren ginge`,
    noValue: (attribute: string) => `haben keinen Wert von ${attribute}, das Pflicht ist`,
  },
  allInTheWay: (className: string) => `In ${className} zeigen`,
  apply: "Änderungen anwenden",
  applied: "Das Modell wurde geändert.",
  appliedBroken: (schemas: string) =>
    `Das Modell wurde geändert. Diese Schemas der Synchronisation passen nicht mehr dazu: ${schemas}`,
  refused: (className: string) => `Die Änderung von ${className} wurde abgelehnt`,
  force: "Schemas der Synchronisation brechen",
  forceHelp:
    "Wenn die Ablehnung Schemas nennt: Deren Geräte können erst wieder synchronisieren, wenn die Schemas geändert sind.",
  conflict:
    "Eine andere Änderung des Modells kam zuerst. Die Liste zeigt Ihre Änderungen nun gegen das jetzige Modell.",
  reviewAgain: "Erneut prüfen",
};

/** German texts of the rights. */
export const rights: Texts["rights"] = {
  title: "Rechte",
  help: "Rechte von Gruppen an den Objekten jeder Klasse. Öffnen Sie eine Klasse, um zu sehen, wer ihre Attribute liest.",
  administrators: "Administratoren haben immer alle Rechte.",
  everyone: "Alle Benutzer",
  groupsShown: "Gezeigte Gruppen",
  onlyAdministrators: "Rechte: nur Administratoren",
  given: (groups: string) => `Rechte: ${groups}`,
  give: "Rechte geben",
  change: "Rechte ändern",
  unreadable: (group: string, target: string, attribute: string) =>
    `${target} ist für ${group} nicht lesbar: ${attribute} erscheint dort leer.`,
  permissions: { read: "Lesen", create: "Anlegen", write: "Schreiben", delete: "Löschen" },
  attributesOf: (className: string) => `Attribute von ${className}`,
  showMore: (count: number) => `Mehr zeigen, ${count} übrig`,
};

/** German texts of the diagram. */
export const diagram: Texts["diagram"] = {
  title: "Diagramm",
  help: "Durchgezogene Linien führen zu Basisklassen, gestrichelte zu den Zielen von Verweisen.",
  asTable: "Als Tabelle zeigen",
  controls: "Ansicht des Diagramms",
  zoomIn: "Vergrößern",
  zoomOut: "Verkleinern",
  fit: "Das ganze Diagramm zeigen",
  hidden: (count: number) => (count === 1 ? "1 weiteres Attribut" : `${count} weitere Attribute`),
};
