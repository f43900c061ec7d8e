import "@mantine/core/styles.css";
import "@mantine/dates/styles.css";
import "@mantine/notifications/styles.css";
import "@mantine/spotlight/styles.css";
import "./theme/theme.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { Page } from "./page.tsx";

// Before the first request, so that no address has the ticket.
const ticketOfLink = takeTicket();

createRoot(document.getElementById("root") as HTMLElement).render(
  <StrictMode>
    <Page ticket={ticketOfLink} />
  </StrictMode>,
);

/**
 * Takes the single-use ticket out of the address, which then names the start page, so that neither the history nor a copied
 * address has it. `null` without one.
 */
function takeTicket(): string | null {
  const ticket = new URLSearchParams(location.hash.replace(/^#/, "")).get("ticket");
  if (ticket === null) return null;
  history.replaceState(null, "", `${location.pathname}#/`);
  return ticket;
}
