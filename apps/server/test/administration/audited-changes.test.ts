import { randomUUID } from "node:crypto";
import type { AuditedChangeData } from "@sallyport/client/admin";
import { AdministrationFixture } from "./administration-fixture.ts";
import { newUser } from "../new-user.ts";
import { onEngines, withoutLockout } from "../engines.ts";

/** The changes of an event: name, value before, value after. */
type Told = readonly (readonly [name: string, before: unknown, after: unknown])[];

interface Row {
  readonly act: () => Promise<unknown>;
  /** In the order of the events. */
  readonly events: () => readonly (readonly [type: string, changes: Told])[];
}

const secret = "a-Secret-of-its-own";

/** The changes of administrators, read from the audit with the client. */
onEngines(
  "audited changes",
  (server) => {
    let opened: AdministrationFixture;
    const admin = () => opened.admin;
    const [app, device, schema] = [randomUUID(), randomUUID(), `s${randomUUID()}`];
    // The audit shows names and devices as they are stored, however they were written.
    const [user, custom, group] = [`${randomUUID()} \u00e9`, `${randomUUID()} \u00e9`, randomUUID()];
    const written = (name: string) => name.normalize("NFD");
    const id = { user: "", other: "", custom: "", group: "", key: "" };

    beforeAll(async () => {
      opened = await AdministrationFixture.open(server());
      id.other = (await newUser(server())).userId;
      id.group = (await admin().groups.create({ name: randomUUID() })).groupId;
    });

    const changeUser = async (change: object) =>
      admin().users.change(id.user, change, { ifMatch: await admin().users.get(id.user) });
    const changeCustom = async (change: object) =>
      admin().customUsers.change(id.custom, change, { ifMatch: await admin().customUsers.get(id.custom) });
    const putProvider = async (name: string, clientId: string, clientSecret: string) => {
      const isKnown = (await admin().providers.list()).some(({ type }) => type === "google");
      const options = isKnown ? { ifMatch: await admin().providers.get("google") } : {};
      return admin().providers.put("google", { name, appNames: [app], data: { clientId, clientSecret } }, options);
    };
    const setLimits = async (values: object) =>
      admin().limits.change(values as never, { ifMatch: await admin().limits.get() });
    const setMaintenance = async (input: { readonly active: boolean; readonly message?: string }) =>
      admin().maintenance.set({ ...input, endsAt: input.active ? "2100-01-01T00:00:00.000Z" : null } as never, {
        ifMatch: await admin().maintenance.get(),
      });
    const banned = (reason: string, until: string | null) => ({
      kind: "device",
      deviceId: device,
      reason,
      from: expect.stringMatching(/^\d{4}-.+Z$/),
      until,
    });
    const rule = (access: string, reason = "") => ({ kind: "group", groupId: id.group, access, reason });
    const setRule = (access: "allow" | "forbid" | null, reason = "") =>
      admin().appRules.set({ app, groupId: id.group, access, reason });

    /** Each row continues where the one before it ended. */
    const rows: Readonly<Record<string, Row>> = {
      "a new user": {
        act: async () => {
          const input = { name: written(user), password: secret, email: "a@mail.example", groups: [id.group] };
          id.user = (await admin().users.create(input)).userId;
        },
        events: () => [
          [
            "account.created",
            [
              ["name", null, user],
              ["email", null, "a@mail.example"],
              ["administrator", null, false],
              ["groups", null, [id.group]],
            ],
          ],
        ],
      },
      "groups and name of a user": {
        act: () => changeUser({ name: `${user} b`, groups: [], description: "new" }),
        events: () => [
          [
            "account.changed",
            [
              ["name", user, `${user} b`],
              ["description", null, "new"],
              ["groups", [id.group], []],
            ],
          ],
        ],
      },
      "address and access of a user": {
        act: async () => {
          await changeUser({ email: null, administrator: true });
          await changeUser({ enabled: false, administrator: false });
        },
        events: () => [
          ["account.changed", [["email", "a@mail.example", null]]],
          [
            "account.promoted",
            [
              ["administrator", false, true],
              ["rights", null, "all"],
            ],
          ],
          ["account.disabled", [["enabled", true, false]]],
          [
            "account.demoted",
            [
              ["administrator", true, false],
              ["rights", "all", null],
            ],
          ],
        ],
      },
      "a password": { act: () => admin().users.setPassword(id.user, secret), events: () => [["password.changed", []]] },
      "a group": {
        act: async () => {
          const made = await admin().groups.create({ name: group });
          await admin().groups.change(made.groupId, { description: "new" }, { ifMatch: made });
        },
        events: () => [
          ["group.created", [["name", null, group]]],
          ["group.changed", [["description", null, "new"]]],
        ],
      },
      "a custom user": {
        act: async () => {
          const input = { name: written(custom), password: secret, userId: id.user };
          id.custom = (await admin().customUsers.create(input)).customUserId;
          await changeCustom({ userId: id.other, email: "b@mail.example" });
          await changeCustom({ enabled: false });
          await admin().customUsers.setPassword(id.custom, `${secret}-2`);
          await admin().customUsers.remove(id.custom);
        },
        events: () => [
          [
            "customUser.created",
            [
              ["name", null, custom],
              ["userId", null, id.user],
            ],
          ],
          ["customUser.changed", [["email", null, "b@mail.example"]]],
          ["customUser.changed", [["userId", id.user, id.other]]],
          ["customUser.disabled", [["enabled", true, false]]],
          ["customPassword.changed", []],
          [
            "customUser.removed",
            [
              ["name", custom, null],
              ["userId", id.other, null],
              ["email", "b@mail.example", null],
              ["enabled", false, null],
            ],
          ],
        ],
      },
      "an app name": {
        act: async () => {
          const made = await admin().apps.create({ name: app, seats: 3 });
          await admin().apps.change(
            app,
            { seats: null, seatKind: "user", secondFactor: "optional" },
            { ifMatch: made },
          );
        },
        events: () => [
          [
            "app.created",
            [
              ["seats", null, 3],
              ["seatKind", null, "concurrent"],
            ],
          ],
          [
            "appSeats.changed",
            [
              ["seats", 3, null],
              ["seatKind", "concurrent", "user"],
            ],
          ],
          ["appSecondFactor.allowed", [["secondFactor", "off", "optional"]]],
        ],
      },
      "an app key": {
        act: async () => {
          const input = { name: app, appNames: [app], origins: ["https://shop.example"] };
          id.key = (await admin().appKeys.create(input)).appKeyId;
          await admin().appKeys.setEnabled(id.key, false, { ifMatch: await admin().appKeys.get(id.key) });
        },
        events: () => [
          [
            "appKey.created",
            [
              ["name", null, app],
              ["scope", null, "app"],
              ["appNames", null, [app]],
              ["origins", null, ["https://shop.example"]],
            ],
          ],
          ["appKey.disabled", [["enabled", true, false]]],
        ],
      },
      "rules of an app name": {
        act: async () => {
          await setRule("allow");
          await setRule("forbid", "late");
          await setRule(null);
        },
        events: () => [
          ["appRule.allowed", [["rule", null, rule("allow")]]],
          ["appRule.forbidden", [["rule", rule("allow"), rule("forbid", "late")]]],
          ["appRule.removed", [["rule", rule("forbid", "late"), null]]],
        ],
      },
      "devices and bans": {
        act: async () => {
          const { id: registered } = await admin().devices.register({ deviceId: ` ${device} ` });
          await admin().bans.add({ deviceId: device, reason: "lost" });
          const ban = await admin().bans.add({ deviceId: device, reason: "found", until: "2100-01-01T00:00:00.000Z" });
          await admin().bans.remove(ban.id);
          await admin().devices.forget(registered);
        },
        events: () => {
          const [lost, found] = [banned("lost", null), banned("found", "2100-01-01T00:00:00.000Z")];
          return [
            ["device.registered", [["deviceId", null, device]]],
            ["ban.added", [["ban", null, lost]]],
            ["ban.added", [["ban", lost, found]]],
            ["ban.removed", [["ban", found, null]]],
            ["device.forgotten", [["deviceId", device, null]]],
          ];
        },
      },
      "a provider": {
        act: async () => {
          await putProvider("Google", "client-one", secret);
          await putProvider("Search", "client-two", secret);
          await putProvider("Search", "client-two", `${secret}-2`);
          await admin().providers.remove("google", { ifMatch: await admin().providers.get("google") });
        },
        events: () => [
          [
            "provider.stored",
            [
              ["name", null, "Google"],
              ["appNames", null, [app]],
              ["data.clientId", null, "client-one"],
              ["data.clientSecret", null, "***"],
            ],
          ],
          [
            "provider.stored",
            [
              ["name", "Google", "Search"],
              ["data.clientId", "client-one", "client-two"],
            ],
          ],
          ["provider.stored", [["data.clientSecret", "***", "***"]]],
          [
            "provider.removed",
            [
              ["name", "Search", null],
              ["appNames", [app], null],
            ],
          ],
        ],
      },
      "rights of a class": {
        act: async () => {
          const found = await admin().classes.list();
          const { rights = [] } = found.items.find(({ name }) => name === "Customer") ?? {};
          const more = [...rights, { group: id.group, permissions: ["read"] as const }];
          await admin().classes.setRights("Customer", more as typeof rights, { ifMatch: found });
          await admin().classes.setRights("Customer", rights, { ifMatch: await admin().classes.list() });
        },
        events: () => [
          ["class.changed", [["rights.read", expect.any(Array), expect.arrayContaining([id.group])]]],
          ["class.changed", [["rights.read", expect.arrayContaining([id.group]), expect.any(Array)]]],
        ],
      },
      limits: {
        act: async () => {
          await setLimits({ "sessions.perUserLimit": 9_000, "rates.session.burst": 70_000 });
          await setLimits({ "sessions.perUserLimit": null, "rates.session.burst": 80_000 });
          await setLimits({ "rates.session.burst": null });
        },
        events: () => [
          [
            "limits.changed",
            [
              ["sessions.perUserLimit", null, 9_000],
              ["rates.session.burst", null, 70_000],
            ],
          ],
          [
            "limits.changed",
            [
              ["sessions.perUserLimit", 9_000, null],
              ["rates.session.burst", 70_000, 80_000],
            ],
          ],
          ["limits.changed", [["rates.session.burst", 80_000, null]]],
        ],
      },
      maintenance: {
        act: async () => {
          await setMaintenance({ active: true, message: "Back soon" });
          await setMaintenance({ active: false });
        },
        events: () => [
          [
            "maintenance.started",
            [
              ["maintenance", false, true],
              ["message", null, "Back soon"],
              ["endsAt", null, "2100-01-01T00:00:00.000Z"],
            ],
          ],
          [
            "maintenance.ended",
            [
              ["maintenance", true, false],
              ["message", "Back soon", null],
              ["endsAt", "2100-01-01T00:00:00.000Z", null],
            ],
          ],
        ],
      },
      synchronization: {
        act: async () => {
          const { sync } = admin();
          const input = { classes: [{ className: "Invoice" }] };
          const made = await sync.putSchema(schema, input);
          const changed = await sync.putSchema(schema, { ...input, direction: "pull" }, { ifMatch: made });
          await sync.removeSchema(schema, { ifMatch: changed });
          await sync.setEnabled(true, { ifMatch: await sync.setEnabled(false, { ifMatch: await sync.get() }) });
        },
        events: () => [
          [
            "syncSchema.stored",
            [
              [`${schema}.classes`, null, [{ className: "Invoice", fields: null }]],
              [`${schema}.direction`, null, "both"],
              [`${schema}.conflicts`, null, "client"],
              [`${schema}.pageSize`, null, 500],
            ],
          ],
          ["syncSchema.stored", [[`${schema}.direction`, "both", "pull"]]],
          [
            "syncSchema.removed",
            [
              [`${schema}.classes`, [{ className: "Invoice", fields: null }], null],
              [`${schema}.direction`, "pull", null],
              [`${schema}.conflicts`, "client", null],
              [`${schema}.pageSize`, 500, null],
            ],
          ],
          ["sync.disabled", [["enabled", true, false]]],
          ["sync.enabled", [["enabled", false, true]]],
        ],
      },
    };

    const byName = (changes: readonly AuditedChangeData[]) =>
      Object.fromEntries(changes.map(({ name, before, after }) => [name, [before, after]]));

    test.each(Object.entries(rows))("the audit tells what changed: %s", async (_name, { act, events }) => {
      const before = await opened.lastSequence();
      await act();
      const { items } = await admin().audit.read({ after: String(before), actor: opened.adminId });
      expect(items.map(({ type, changes }) => [type, byName(changes)])).toEqual(
        events().map(([type, told]) => [type, Object.fromEntries(told.map(([name, ...values]) => [name, values]))]),
      );
      expect(JSON.stringify(items)).not.toContain(secret);
    });

    test("long values and long lists of changes are cut", async () => {
      const before = await opened.lastSequence();
      const description = "𝄞".repeat(1_000);
      await admin().groups.create({ name: "g".repeat(301), description });
      const origins = Array.from({ length: 30 }, (_, index) => `https://shop-${index}.example`);
      await admin().appKeys.create({ name: randomUUID(), origins });
      const { items } = await admin().audit.read({ after: String(before), actor: opened.adminId });
      const [long, list] = items.map(({ changes }) => byName(changes));
      expect(long).toEqual({
        name: [null, `${"g".repeat(300)}…`],
        description: [null, `${"𝄞".repeat(150)}…`],
      });
      expect(list?.["origins"]?.[1]).toMatch(/^\["https:\/\/shop-0\.example",.{270,}…$/u);
      for (const { changes } of items) expect(JSON.stringify(changes).length).toBeLessThan(2_100);
    });
  },
  { environment: withoutLockout, count: 2 },
);
