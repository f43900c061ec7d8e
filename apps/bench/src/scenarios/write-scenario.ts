import { objectIdOf } from "@sallyport/core";
import { compared, holdContest } from "../contest/hold-contest.ts";
import { LoadedServer } from "../contest/loaded-server.ts";
import type { LoadRequest } from "../processes/load-generator.ts";
import { contactAttributes } from "../database/sample-data.ts";
import { connections, type Scenario } from "../contest/stage.ts";

const created = JSON.stringify(contactAttributes);
const changed = JSON.stringify({ City: "Cuxhaven", CreditLimit: 30_000 });
const json = { "content-type": "application/json" };

/** Creating objects, and changing each time the version that was just read. */
export const writeScenario: Scenario = {
  name: "write",
  async run(stage, plan) {
    const product = await stage.runningProduct();
    const { appKey, firstArticle, articles } = await stage.smallSchema();
    const limit = await stage.runningLimit("express-write");
    // Contacts stand behind the articles, here as there.
    const contacts = Array.from({ length: connections }, (_, place) => articles + place);
    const headers = (place: number) => ({
      ...json,
      appkey: appKey,
      sessionid: product.sessionIds[place % product.sessionIds.length] ?? "",
    });
    const loaded = (
      name: string,
      { process, address }: Pick<typeof product, "process" | "address">,
      requests: LoadRequest[],
      apart = false,
    ) => new LoadedServer(name, process, { address, connections, requests, apart }, stage.generator, stage.database);
    const result = await holdContest(
      [
        loaded(
          "create",
          product,
          contacts.map((place) => ({
            method: "POST",
            path: "/v1/object/Contact",
            headers: headers(place),
            body: created,
          })),
        ),
        loaded("Express + pg, insert", limit, [
          { method: "POST", path: "/object/Contact", headers: json, body: created },
        ]),
        loaded(
          "update",
          product,
          contacts.map((place) => ({
            method: "PATCH",
            path: `/v1/object/${objectIdOf(firstArticle + place)}`,
            headers: headers(place),
            body: changed,
            conditional: true,
          })),
          true,
        ),
        loaded(
          "Express + pg, update",
          limit,
          contacts.map((place) => ({
            method: "PATCH",
            path: `/object/${place + 1}`,
            headers: json,
            body: changed,
            conditional: true,
          })),
          true,
        ),
      ],
      plan,
    );
    return [
      compared(result, {
        scenario: "create",
        ours: "create",
        limit: "Express + pg, insert",
        bound: { direction: "atLeast", wanted: 0.5 },
      }),
      compared(result, {
        scenario: "update with If-Match",
        ours: "update",
        limit: "Express + pg, update",
        bound: { direction: "atLeast", wanted: 0.45 },
      }),
    ];
  },
};
