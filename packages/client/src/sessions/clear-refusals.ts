/**
 * The codes that a server can answer before it knows that a request is of a secure session, or when it cannot use the
 * session's key. They alone may come in clear text: path and method (304, 305), malformed HTTP (699) or headers (307),
 * database, maintenance and load (607, 704, 705, 706), app key (100, 101), request rate (800), plain HTTP (307), the
 * session itself (200 to 204), its key (314), and whatever goes wrong among these steps (799). They report failures only, so
 * whoever forges one achieves no more than by dropping the answer.
 */
const codes: ReadonlySet<number> = new Set([
  100, 101, 200, 201, 202, 203, 204, 304, 305, 307, 314, 607, 699, 704, 705, 706, 799, 800,
]);

export function mayComeInClear(code: number): boolean {
  return codes.has(code);
}
