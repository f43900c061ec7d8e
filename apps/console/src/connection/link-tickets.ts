/** What a link of the server has behind `#`. */
export interface LinkTickets {
  /** For an administration key. */
  readonly ticket: string | null;
  /** For the first administrator. */
  readonly setUpTicket: string | null;
}

/** `null` if the address has none. */
function ticketsOfAddress(): LinkTickets | null {
  const parameters = new URLSearchParams(location.hash.replace(/^#/, ""));
  const [ticket, setUpTicket] = [parameters.get("ticket"), parameters.get("set-up")];
  return ticket === null && setUpTicket === null ? null : { ticket, setUpTicket };
}

/**
 * Takes the single-use tickets out of the address, which then is the one given here, so that neither the history nor a copied
 * address has them.
 */
export function takeTickets(address: string): LinkTickets | null {
  const tickets = ticketsOfAddress();
  if (tickets !== null) history.replaceState(null, "", address);
  return tickets;
}

/** Calls the listener when a link is opened in this tab: only the fragment changes, and the page stays. */
export function onTickets(listener: (tickets: LinkTickets) => void): () => void {
  const hide = (event: PopStateEvent) => {
    if (ticketsOfAddress() !== null) event.stopImmediatePropagation();
  };
  const take = ({ oldURL }: HashChangeEvent) => {
    const tickets = takeTickets(oldURL);
    if (tickets !== null) listener(tickets);
  };
  // Before the router, for which a ticket would be a page.
  window.addEventListener("popstate", hide, { capture: true });
  window.addEventListener("hashchange", take);
  return () => {
    window.removeEventListener("popstate", hide, { capture: true });
    window.removeEventListener("hashchange", take);
  };
}
