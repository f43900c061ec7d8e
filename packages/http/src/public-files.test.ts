import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import express from "express";
import supertest from "supertest";
import { until } from "@sallyport/test-kit/jest/until";
import { PublicFiles } from "./public-files.ts";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/** Bytes that an idle server may hold on top. */
const budget = 2 * 1_024 * 1_024;

describe("public files", () => {
  const folder = mkdtempSync(join(tmpdir(), "sallyport-public-files-"));
  afterAll(() => rmSync(folder, { recursive: true }));
  const places = new Map(["a.js", "b.js"].map((name) => [name, join(folder, name)]));
  const serve = (files: PublicFiles) =>
    express().get("/:name", (request, response) => files.send(request.params.name, request, response));

  test("are read again once no client has asked for them for a while", async () => {
    const application = serve(new PublicFiles(places, 1));
    writeFileSync(join(folder, "a.js"), "first");
    expect((await supertest(application).get("/a.js")).text).toBe("first");
    writeFileSync(join(folder, "a.js"), "second");
    await until(async () => (await supertest(application).get("/a.js")).text === "second");
  });

  test("leave the memory of an idle server", async () => {
    for (const place of places.values()) writeFileSync(place, randomBytes(budget).toString("base64url"));
    const application = serve(new PublicFiles(places, 1));
    collectGarbage();
    const before = process.memoryUsage().arrayBuffers;
    for (const name of places.keys())
      for (const coding of ["gzip", "identity"]) {
        const answer = await supertest(application).get(`/${name}`).set("Accept-Encoding", coding);
        expect([answer.status, answer.headers["content-encoding"]]).toEqual([
          200,
          coding === "gzip" ? "gzip" : undefined,
        ]);
      }
    const held = () => {
      collectGarbage();
      return process.memoryUsage().arrayBuffers - before;
    };
    await until(() => held() < budget, { seen: held });
  });
});
