import "@mantine/core/styles.css";
import "@mantine/dates/styles.css";
import "@mantine/notifications/styles.css";
import "@mantine/spotlight/styles.css";
import "./theme/theme.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { takeTickets } from "./connection/link-tickets.ts";
import { Page } from "./page.tsx";

// Before the first request, so that no address has the ticket.
const tickets = takeTickets(`${location.pathname}#/`);

createRoot(document.getElementById("root") as HTMLElement).render(
  <StrictMode>
    <Page tickets={tickets} />
  </StrictMode>,
);
