import "@mantine/core/styles.css";
import "@mantine/dates/styles.css";
import "@mantine/notifications/styles.css";
import "@mantine/spotlight/styles.css";
import "./theme/theme.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { takeTicket } from "./connection/ticket.ts";
import { Page } from "./page.tsx";

// Before the first request, so that no address has the ticket.
const ticket = takeTicket();

createRoot(document.getElementById("root") as HTMLElement).render(
  <StrictMode>
    <Page ticket={ticket} />
  </StrictMode>,
);
