/** Limit: Express 5 that sends 1.5 kB of JSON and does nothing else. */
import express from "express";
import { articleAttributes } from "../postgres/sample-attributes.ts";
import { listen } from "./listen.ts";

const application = express();
application.get("/json", (_request, response) => {
  response.json(articleAttributes);
});
listen(application);
