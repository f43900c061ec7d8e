import type { Texts } from "../en.ts";

/** German texts about objects. */
export const objects: Texts["objects"] = {
  meta: (name: string): string | undefined =>
    ({ "~Title": "Titel", "~ObjectID": "Id", "~ClassName": "Klasse", "~StoreTime": "Letzte Änderung" })[name],
  count: (count: number, isCapped: boolean) => {
    const shown = `${new Intl.NumberFormat("de").format(count)}${isCapped ? "+" : ""}`;
    return count === 1 ? "1 Objekt" : `${shown} Objekte`;
  },
  columns: "Spalten",
  moveUp: (name: string) => `${name} nach oben`,
  moveDown: (name: string) => `${name} nach unten`,
  resetColumns: "Spalten zurücksetzen",
  counts: "Objekte zählen",
  characters: (count: number) => `(${new Intl.NumberFormat("de").format(count)} Zeichen)`,
  copyFailed: "Die Zellen wurden nicht kopiert",
  search: "Texte dieser Klasse durchsuchen",
  searchHelp: "Findet einen Teil eines Textes in genau dieser Schreibweise, oder eine Id.",
  none: "Die Klasse hat keine Objekte, oder Sie dürfen keine lesen.",
  changed: (count: number) => (count === 0 ? "Nichts geändert" : `${count} geändert`),
  reload: "Liste neu laden",
  null: "null",
  empty: "leer",
  gridKeys:
    "Pfeiltasten wechseln die Zelle, mit Umschalt wählen sie aus. Eingabe öffnet einen Link oder sortiert nach einer Spalte; Umschalt und Eingabe nimmt eine Spalte in die Reihenfolge auf. Strg und C kopiert, Strg und V fügt nach einer Vorschau ein. Leertaste zeigt einen langen Text ganz. Alt mit den Pfeiltasten verschiebt eine Spalte, mit Umschalt ändert es die Breite.",
  find: (className: string) => `Suchen in ${className}`,
  clear: (name: string) => `${name} leeren`,
  newOf: (className: string) => `Neues Objekt von ${className}`,
  create: "Objekt anlegen",
  createTarget: (className) => `${className} anlegen…`,
  createTargetFor: (className, field) => `${className} anlegen… für ${field}`,
  absent: "nie gesetzt",
  setNull: "Wert entfernen",
  discardField: (name: string) => `${name} zurücknehmen`,
  readOnly: "Sie können dieses Objekt lesen, aber nicht ändern.",
  changes: (count: number) => (count === 0 ? "Keine Änderungen" : count === 1 ? "1 Änderung" : `${count} Änderungen`),
  saved: "Das Objekt wurde gespeichert.",
  faults: {
    number: "Geben Sie eine Zahl mit Dezimalpunkt ein, etwa -12.5.",
    rounded: "Diese Zahl hat mehr Ziffern, als die Datenbank hält. Sie würde gerundet.",
    json: "Das ist kein gültiges JSON.",
    date: "Geben Sie ein vollständiges Datum ein.",
    boolean: "Geben Sie true oder false ein.",
  },
  dateKind: (name: string) => `Art von ${name}`,
  day: "Tag",
  instant: "Tag und Uhrzeit",
  zone: (name: string) => `Zeitzone von ${name}`,
  addMember: (name: string) => `Zu ${name} hinzufügen`,
  removeMember: (title: string) => `${title} entfernen`,
  download: (name: string) => `${name} herunterladen`,
  upload: (name: string) => `Datei für ${name} hochladen`,
  uploadShort: "Hochladen",
  uploadFailed: "Die Datei wurde nicht hochgeladen",
  downloadFailed: "Die Datei kann nicht heruntergeladen werden",
  preview: (name) => `Vorschau von ${name}`,
  previewShort: "Vorschau",
  previewImage: "Das Bild der Datei",
  previewText: "Text der Datei",
  previewCut: (shown, size) => `Die ersten ${shown} von ${size}.`,
  previewNone: "Dateien dieses Typs haben keine Vorschau. Laden Sie die Datei herunter, um sie zu öffnen.",
  previewLarge: (limit) =>
    `Dateien mit mehr als ${limit} haben keine Vorschau. Laden Sie die Datei herunter, um sie zu öffnen.`,
  previewLocked: "Das PDF braucht ein Passwort. Laden Sie es herunter, um es zu öffnen.",
  previewBroken: {
    image: "Der Browser kann diese Datei nicht als Bild zeigen.",
    pdf: "Diese Datei kann nicht als PDF gezeigt werden.",
    page: "Diese Seite kann nicht gezeigt werden.",
    text: "Diese Datei ist kein Text in UTF-8.",
  },
  pageOf: (page, count) => `Seite ${page} von ${count}`,
  draft: (at: string) => `Am ${at} blieben Änderungen ungespeichert`,
  draftLabel: "Entwurf",
  stored: "Gespeichert",
  mine: "Meine",
  restoreDraft: "Entwurf wiederherstellen",
  discardDraft: "Entwurf verwerfen",
  conflict: "Das Objekt wurde inzwischen geändert",
  conflictHelp:
    "Eine andere Speicherung kam zuvor. Wählen Sie für jedes Attribut, das Sie geändert haben, welcher Wert gilt. Speichern Sie dann erneut. Attribute, die Sie nicht geändert haben, übernehmen die gespeicherten Werte.",
  keep: "Behalten",
  keepOf: (name: string) => `Wert von ${name}`,
  takeOver: "Mit diesen Werten weiter",
  lock: "Sperren",
  unlock: "Sperre freigeben",
  lockAge: (time: string, minutes: number) =>
    minutes === 0 ? `seit ${time}` : `seit ${time} (${new Intl.NumberFormat("de").format(minutes)} min)`,
  lockedByMe: (age: string) => `Sie haben dieses Objekt gesperrt, ${age}`,
  lockedBy: (user: string | undefined, age: string) => `Gesperrt von ${user ?? "einer anderen Sitzung"}, ${age}`,
  lockFailed: "Die Sperre wurde nicht geändert",
  lockLost: "Ihre Sperre ist beendet. Andere Sitzungen können das Objekt speichern.",
  takeOverLock: (title: string) => `Sperre von ${title} übernehmen`,
  takeOverLockHelp:
    "Die Sitzung mit der Sperre kann das Objekt nicht mehr speichern. Ihre Seite sagt es ihr. Das Audit hält es fest.",
  takeOverLockConfirm: "Sperre übernehmen",
  referencedFrom: "Verweise auf dieses Objekt",
  referencedNowhere: "Kein Objekt, das Sie lesen können, führt zu diesem.",
  moreReferring: (attribute) => `Mehr in ${attribute}`,
  readers: "Leser",
  reader: "Benutzer",
  restricted: "Nur manche Benutzer und Gruppen sehen dieses Objekt",
  restrictedHelp: "Sonst sehen es alle, die die Klasse lesen können. Administratoren sehen es immer.",
  addReader: "Benutzer hinzufügen",
  addReaderGroup: "Gruppe hinzufügen",
  readersSaved: "Die Leser wurden gespeichert.",
  id: "Id",
  idHelp: "Eine Id hat Ziffern und Buchstaben, etwa 1A2B.",
  copyId: "Id kopieren",
  storedAt: (time: string) => `Letzte Änderung ${time}`,
  recycle: (title: string) => `${title} in den Papierkorb legen`,
  recycleHelp: "Das Objekt verschwindet für alle. Verweise darauf sind leer, bis es wiederhergestellt wird.",
  recycleConfirm: "In den Papierkorb legen",
  delete: (title: string) => `${title} endgültig löschen`,
  deleteHelp:
    "Das Objekt kann nicht wiederhergestellt werden. Verweise darauf werden geleert, oder die Löschung wird abgelehnt oder nimmt Objekte mit, wie es die Klasse bestimmt.",
  deleteConfirm: "Endgültig löschen",
  deleted: (title: string) => `${title} wurde gelöscht.`,
  recycled: (title: string) => `${title} liegt im Papierkorb.`,
};

/** German texts about a paste into a list. */
export const paste: Texts["paste"] = {
  title: "In die Liste einfügen",
  help: "Nur diese Zellen ändern sich. Vor Ihrer Bestätigung wird nichts geschrieben, und kein Objekt, das inzwischen eine andere Person geändert hat.",
  tooMany: (count: number, most: number) =>
    `${new Intl.NumberFormat("de").format(count)} Zellen sind zu viele. Fügen Sie höchstens ${new Intl.NumberFormat("de").format(most)} auf einmal ein.`,
  leftOut: (count: number) =>
    count === 1
      ? "1 Zelle läge neben der Liste. Sie wird ausgelassen."
      : `${count} Zellen lägen neben der Liste. Sie werden ausgelassen.`,
  emptyTexts: "Leere Zellen",
  nothing: "Nichts würde sich ändern.",
  pasted: "Eingefügt",
  refused: "Nicht geändert:",
  submit: (count: number) => (count === 1 ? "1 Objekt ändern" : `${count} Objekte ändern`),
  progress: (done: number, count: number) => `${done} von ${count} Objekten`,
  stop: "Anhalten",
  written: (count: number) => (count === 1 ? "1 Objekt wurde geändert." : `${count} Objekte wurden geändert.`),
  result: (written: number, failed: number, left: number) =>
    `Geändert: ${written}. Abgelehnt: ${failed}. Nicht versucht: ${left}.`,
  faults: {
    date: "Nehmen Sie einen Tag wie 2026-07-31 oder eine Zeit mit Zone wie 2026-07-31T10:15:00Z.",
    fixed: "Die Liste kann dieses Attribut nicht ändern.",
    mandatory: "Das Attribut ist ein Pflichtfeld.",
    unknown: "Kein Objekt, das Sie lesen dürfen, hat diesen Titel oder diese Id.",
    ambiguous: "Mehrere Objekte haben diesen Titel. Fügen Sie die Id ein.",
  },
};

/** German texts about the recycle bin. */
export const recycleBin: Texts["recycleBin"] = {
  title: "Papierkorb",
  help: "Die Objekte, die Sie gelöscht haben und die wiederhergestellt werden können. Mit einem kommen alle Objekte derselben Löschung zurück.",
  helpOfAll:
    "Gelöschte Objekte aller Benutzer, die wiederhergestellt werden können. Mit einem kommen alle Objekte derselben Löschung zurück.",
  object: "Objekt",
  deletedAt: "Gelöscht",
  deletedBy: "Von",
  unknown: "unbekannt",
  empty: "Im Papierkorb sind keine Objekte.",
  restore: "Wiederherstellen",
  restoreOne: (id: string) => `Wiederherstellen: ${id}`,
  restoreChosen: (count: number) =>
    count === 0 ? "Gewählte Objekte wiederherstellen" : `${count} gewählte wiederherstellen`,
  restored: (count: number) =>
    count === 1 ? "Das Objekt wurde wiederhergestellt." : `${count} Objekte wurden wiederhergestellt.`,
  notRestored: "Das Objekt wurde nicht wiederhergestellt",
  purge: "Löschen",
  purgeOne: (id: string) => `Löschen: ${id}, endgültig`,
  purgeHelp:
    "Das Objekt und alle Objekte derselben Löschung können nicht mehr wiederhergestellt werden. Verweise darauf werden geleert, oder die Löschung wird abgelehnt, wie es die Klasse bestimmt.",
  purged: (count: number) =>
    count === 1 ? "Das Objekt wurde endgültig gelöscht." : `${count} Objekte wurden endgültig gelöscht.`,
};
