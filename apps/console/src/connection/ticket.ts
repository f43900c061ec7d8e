/**
 * Takes the single-use ticket out of the address, which then names the start page, so that neither the history nor a copied
 * address has it. `null` without one.
 */
export function takeTicket(): string | null {
  const ticket = new URLSearchParams(location.hash.replace(/^#/, "")).get("ticket");
  if (ticket === null) return null;
  history.replaceState(null, "", `${location.pathname}#/`);
  return ticket;
}
