import "@mantine/core/styles.css";
import "@mantine/dates/styles.css";
import "@mantine/notifications/styles.css";
import "@mantine/spotlight/styles.css";
import "./theme/theme.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import type { LinkTickets } from "./connection/page-config.ts";
import { Page } from "./page.tsx";

// Before the first request, so that no address has the ticket.
const tickets = takeTickets();

createRoot(document.getElementById("root") as HTMLElement).render(
  <StrictMode>
    <Page {...tickets} />
  </StrictMode>,
);

/**
 * Takes the single-use ticket out of the address, which then names the start page, so that neither the history nor a copied
 * address has it. `null` without one.
 */
function takeTickets(): LinkTickets {
  const parameters = new URLSearchParams(location.hash.replace(/^#/, ""));
  const [ticket, setUpTicket] = [parameters.get("ticket"), parameters.get("set-up")];
  if (ticket !== null || setUpTicket !== null) history.replaceState(null, "", `${location.pathname}#/`);
  return { ticket, setUpTicket };
}
