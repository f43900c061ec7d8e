/* Sentences about what happened to the changes of the user. */

const shown = (value) => (value === null || value === undefined || value === "" ? "nothing" : `“${textOf(value)}”`);

function textOf(value) {
  return typeof value === "object" ? "another object" : String(value);
}

/** The sentences of a report. `view` knows the names of the objects. */
export function newsOf({ conflicts, merged, refused, takenBack, postponed }, view) {
  const name = (uuid) => view.nameOf(uuid);
  const theOther = { mine: "Yours was kept.", theirs: "The server's was kept." };
  return [
    ...conflicts.map(({ uuid, field, mine, theirs, kept }) => {
      const end = theOther[kept] ?? "Another value was stored.";
      return `Conflict about ${field} of ${name(uuid)}: ${shown(mine)} here, ${shown(theirs)} on the server. ${end}`;
    }),
    ...merged
      .filter(({ uuid }) => !conflicts.some((conflict) => conflict.uuid === uuid))
      .map(({ uuid, fields }) => `${name(uuid)}: combined with a change of ${fields.join(", ")} on the server.`),
    ...refused.map(({ uuid, message }) => `The server refused the change of ${name(uuid)}: ${message}.`),
    ...takenBack.map(({ uuid, isQueued }) => {
      return `The server was restored and lost the change of ${name(uuid)}. ${isQueued ? "It is sent again." : ""}`;
    }),
    ...postponed.map(({ uuid, code }) => `The change of ${name(uuid)} waits (${code}).`),
  ];
}
