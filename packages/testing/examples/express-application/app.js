import { SallyportClient, SallyportError } from "@sallyport/client";
import express from "express";

/** A ticket board on a Sallyport server. Browsers log in with a user of the database. */
export function createApp({ baseUrl, appKey }) {
  const clients = new Map();
  const app = express().use(express.json());

  app.post("/log-in", async (request, response) => {
    const { user, password } = request.body;
    const client = new SallyportClient({ baseUrl, appKey });
    await client.logIn({ mode: "secure", user, password, passwordHash: "none", appNames: ["test-app"] });
    const ticket = crypto.randomUUID();
    clients.set(ticket, client);
    response.json({ ticket });
  });

  const clientOf = (request) => clients.get(request.get("authorization"));

  app.get("/tickets", async (request, response) => {
    const page = await clientOf(request).listObjects("Ticket", { query: { sort: ["Title"] } });
    response.json(page["~Elements"].map(({ Title, Done }) => ({ title: Title, done: Done === true })));
  });

  app.post("/tickets", async (request, response) => {
    const created = await clientOf(request).createObject("Ticket", { Title: request.body.title });
    response.status(201).json({ id: created["~ObjectID"] });
  });

  app.use((error, _request, response, next) => {
    if (response.headersSent || !(error instanceof SallyportError)) return next(error);
    const status = error.code === 302 ? 401 : error.httpStatus >= 500 ? 503 : 400;
    response.status(status).json({ error: error.message });
  });
  return app;
}
