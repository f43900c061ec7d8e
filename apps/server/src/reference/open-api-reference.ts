import { openApiDocument, type Route } from "@sallyport/http";
import { version } from "../composition/version.ts";
import { generatedNote } from "./generated-note.ts";

/** `openapi.json`: the API description. */
export function openApiReference(routes: readonly Route[]): string {
  const { openapi, ...rest } = openApiDocument({ routes, title: "Sallyport", version, basePath: "" });
  return `${JSON.stringify({ openapi, "x-generated": generatedNote, ...rest }, null, 2)}\n`;
}
