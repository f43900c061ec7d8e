import { type ClassDefinition, type ClassRight, type Permission, permissions, seesAll } from "@sallyport/storage";
import { type Answer, callIn, type Sent } from "../client.ts";
import { testedModes } from "../modes.ts";
import { openSession } from "../open-session.ts";
import { repositoriesOf } from "../repositories-of.ts";
import { onEngines } from "../engines.ts";
import { objectEnvironment } from "./object-environment.ts";

type Session = Awaited<ReturnType<typeof openSession>>;
type Granted = ReadonlySet<Permission>;

/** Every set of permissions. */
const subsets: readonly Granted[] = Array.from(
  { length: 2 ** permissions.length },
  (_, bits) => new Set(permissions.filter((_each, index) => (bits >> index) % 2 === 1)),
);

/** A request for a class or an object, with the expected answer for each set of permissions. */
interface Demand {
  readonly what: string;
  readonly method: Sent["method"];
  readonly path: (target: { readonly className: string; readonly id: string; readonly uuid: string }) => string;
  readonly body?: object;
  readonly needs: Permission;
  /** The request itself is invalid. */
  readonly isFaulty?: true;
  /** For an object in the recycle bin. */
  readonly recycled?: true;
}

const all = encodeURIComponent(JSON.stringify({}));

const demands: readonly Demand[] = [
  { what: "list", method: "GET", path: ({ className }) => `/v1/objects/${className}`, needs: "read" },
  {
    what: "list under the singular name",
    method: "GET",
    path: ({ className }) => `/v1/object/${className}?perPage=1`,
    needs: "read",
  },
  {
    what: "filtered list",
    method: "GET",
    path: ({ className }) =>
      `/v1/objects/${className}?query=${encodeURIComponent('{"where":{"Title":"a"},"sort":["-Title"]}')}`,
    needs: "read",
  },
  {
    what: "list of named fields",
    method: "GET",
    path: ({ className }) =>
      `/v1/objects/${className}?serialization=${encodeURIComponent('{"type":"custom","fields":["Title"]}')}`,
    needs: "read",
  },
  { what: "object by id", method: "GET", path: ({ id }) => `/v1/object/${id}`, needs: "read" },
  { what: "object by UUID", method: "GET", path: ({ uuid }) => `/v1/object/${uuid.toUpperCase()}`, needs: "read" },
  {
    what: "creation",
    method: "POST",
    path: ({ className }) => `/v1/object/${className}`,
    body: { Title: "new" },
    needs: "create",
  },
  {
    what: "invalid creation",
    method: "POST",
    path: ({ className }) => `/v1/object/${className}`,
    body: { Nothing: 1 },
    needs: "create",
    isFaulty: true,
  },
  { what: "change by id", method: "PATCH", path: ({ id }) => `/v1/object/${id}`, body: { Title: "a" }, needs: "write" },
  {
    what: "change by UUID",
    method: "PATCH",
    path: ({ uuid }) => `/v1/object/${uuid}`,
    body: { Title: "a" },
    needs: "write",
  },
  {
    what: "invalid change",
    method: "PATCH",
    path: ({ id }) => `/v1/object/${id}`,
    body: { Nothing: 1 },
    needs: "write",
    isFaulty: true,
  },
  {
    what: "change of all",
    method: "PATCH",
    path: ({ className }) => `/v1/objects/${className}?query=${all}`,
    body: { Title: "a" },
    needs: "write",
  },
  { what: "readers", method: "GET", path: ({ id }) => `/v1/object/${id}/readers`, needs: "write" },
  {
    what: "change of readers",
    method: "PUT",
    path: ({ uuid }) => `/v1/object/${uuid}/readers`,
    body: { readers: null },
    needs: "write",
  },
  {
    what: "invalid change of readers",
    method: "PUT",
    path: ({ id }) => `/v1/object/${id}/readers`,
    body: { readers: ["Nothing"] },
    needs: "write",
    isFaulty: true,
  },
  { what: "lock state", method: "GET", path: ({ id }) => `/v1/lock/object/${id}`, needs: "read" },
  { what: "locking", method: "POST", path: ({ id }) => `/v1/lock/object/${id}`, needs: "write" },
  { what: "unlocking", method: "DELETE", path: ({ id }) => `/v1/lock/object/${id}`, needs: "write" },
  { what: "deletion", method: "DELETE", path: ({ id }) => `/v1/object/${id}`, needs: "delete" },
  {
    what: "recycling by UUID",
    method: "DELETE",
    path: ({ uuid }) => `/v1/object/${uuid}?moveToRecycler=true`,
    needs: "delete",
  },
  {
    what: "restoration",
    method: "POST",
    path: ({ id }) => `/v1/object/${id}/restore`,
    needs: "delete",
    recycled: true,
  },
];

/**
 * An unreadable object does not exist, even with other permissions; a readable one is forbidden without the permission.
 */
function expected({ needs, isFaulty }: Demand, granted: Granted): string {
  if (!granted.has("read")) return "404/304";
  if (!granted.has(needs)) return "403/404";
  return isFaulty === true ? "400/307" : "200/0";
}

/** Rights on every route, in every mode and on every engine. */
onEngines(
  "rights on classes",
  (server) => {
    const repositories = () => repositoriesOf(server());

    describe.each(testedModes)("in mode %s", (mode) => {
      let reader: Session;
      let admin: Session;
      /** Ids of the groups of the reader and of the demo user. */
      let readers: string;
      let sales: string;

      const send = (session: Session, method: Sent["method"], path: string, body?: object): Promise<Answer> =>
        callIn(server(), session, path, { method, ...(body === undefined ? {} : { body }) } as Sent);
      const codeOf = ({ status, code }: Answer) => `${status}/${code}`;

      const define = async (...put: ClassDefinition[]) => {
        const { model } = repositories();
        while ((await model.change({ put }, (await model.load()).generation)) === "stale");
      };
      const ofClass = (
        name: string,
        rights: readonly ClassRight[],
        more: Partial<ClassDefinition> = {},
      ): ClassDefinition => ({
        name,
        base: null,
        attributes: [{ name: "Title", type: "string" }],
        rights,
        ...more,
      });
      const insert = async (className: string, recycled = false) => {
        const r = repositories();
        const [object] = await r.objects.insert([{ className, attributes: { Title: "a" } }]);
        if (object === undefined) throw new Error("Nothing was inserted.");
        if (recycled) {
          await server()
            .databases.get("")
            ?.storage.transaction(async ({ deletion }) => {
              await deletion.lock([object.id]);
              await deletion.delete([object.id], { recycled: true, root: object.id });
            });
        }
        return { className, id: object.id, uuid: object.uuid };
      };

      beforeAll(async () => {
        reader = await openSession(server(), mode, "reader");
        admin = await openSession(server(), mode, "admin");
        const groups = await repositories().objects.find({ classes: ["UserGroup"] }, seesAll, { offset: 0, limit: 10 });
        const groupNamed = (name: string) =>
          groups.objects.find(({ attributes }) => attributes["Name"] === name)?.id ?? "";
        readers = groupNamed("Readers");
        sales = groupNamed("Sales");
      });

      /** How the reader gets the permissions; other groups have all the others. */
      const grants: readonly (readonly [string, (granted: Granted) => ClassRight[]])[] = [
        [
          "a group",
          (granted) => [
            { group: readers, permissions: [...granted] },
            { group: sales, permissions },
          ],
        ],
        [
          "everybody",
          (granted) => [
            { group: "*", permissions: [...granted] },
            { group: sales, permissions },
          ],
        ],
        [
          "a group and everyone together",
          (granted) => [
            { group: "*", permissions: permissions.filter((each, index) => granted.has(each) && index % 2 === 0) },
            { group: readers, permissions: permissions.filter((each, index) => granted.has(each) && index % 2 === 1) },
          ],
        ],
      ];

      // The log-in mode does not matter for the source of rights.
      test.each(mode === "session" ? grants : grants.slice(0, 1))(
        "every route requires its permission, granted by %s",
        async (_way, rightsOf) => {
          const classes = subsets.map((granted) => ({ granted, className: `May_${[...granted].join("_")}_${mode}` }));
          await define(...classes.map(({ granted, className }) => ofClass(className, rightsOf(granted))));
          const wrong: string[] = [];
          for (const { granted, className } of classes) {
            for (const demand of demands) {
              const target = await insert(className, demand.recycled);
              const answer = codeOf(await send(reader, demand.method, demand.path(target), demand.body));
              const wanted = expected(demand, granted);
              if (answer !== wanted)
                wrong.push(`${demand.what} with ${[...granted].join() || "nothing"}: ${answer} instead of ${wanted}`);
            }
          }
          expect(wrong).toEqual([]);
        },
        60_000,
      );

      test("an administrator has all permissions, regardless of rights", async () => {
        const className = `Nobodys_${mode}`;
        await define(ofClass(className, []));
        const answers: string[] = [];
        for (const { method, path, body, recycled } of demands)
          answers.push(codeOf(await send(admin, method, path(await insert(className, recycled)), body)));
        expect(answers).toEqual(demands.map((demand) => expected(demand, new Set(permissions))));
      });

      test("a class is described only to its readers", async () => {
        const classes = subsets.map((granted) => ({ granted, className: `Shown_${[...granted].join("_")}_${mode}` }));
        await define(
          ...classes.map(({ granted, className }) =>
            ofClass(className, [{ group: readers, permissions: [...granted] }]),
          ),
        );
        const { body } = await send(reader, "GET", "/v1/model/structure");
        const described = JSON.stringify((await send(reader, "GET", "/openapi.json")).body);
        for (const { granted, className } of classes) {
          const shown = body.data.classes.find(({ name }: { name: string }) => name === className);
          expect({ className, permissions: shown?.permissions }).toEqual({
            className,
            permissions: granted.has("read") ? permissions.filter((each) => granted.has(each)) : undefined,
          });
          expect({ className, described: described.includes(`class.${className}"`) }).toEqual({
            className,
            described: granted.has("read"),
          });
        }
      });

      test("an unreadable referenced object is null, missing, and cannot be requested", async () => {
        const [open, hidden] = [`Open_${mode}`, `Hidden_${mode}`];
        await define(
          ofClass(hidden, []),
          ofClass(open, [{ group: readers, permissions: ["read", "create", "write"] }], {
            attributes: [
              { name: "Title", type: "string" },
              { name: "To", type: "reference", target: hidden },
              { name: "All", type: "collection", target: hidden },
            ],
          }),
        );
        const target = await insert(hidden);
        const [object] = await repositories().objects.insert([
          {
            className: open,
            attributes: { Title: "a", To: target.id, All: [target.id] },
            links: { To: [target.id], All: [target.id] },
          },
        ]);
        const id = object?.id ?? "";
        const read = await send(reader, "GET", `/v1/object/${id}`);
        expect(read.body.data).toMatchObject({
          To: null,
          All: { "~Count": 0, "~UnfilteredCount": 0, "~Elements": [] },
        });
        const found = async (where: object, session: Session) => {
          const answer = await send(
            session,
            "GET",
            `/v1/objects/${open}?query=${encodeURIComponent(JSON.stringify({ where }))}`,
          );
          return answer.code === "0" ? answer.body.data["~Count"] : codeOf(answer);
        };
        const filters = [
          { To: target.id },
          { To: { $ne: null } },
          { "To.Title": "a" },
          { "To.Title": { $exists: true } },
          { All: { $contains: target.id } },
        ];
        const asAdmin = await Promise.all(filters.map((filter) => found(filter, admin)));
        expect(asAdmin).toEqual(filters.map(() => 1));
        for (const filter of filters)
          expect([filter, [0, "400/307"]]).toEqual([filter, expect.arrayContaining([await found(filter, reader)])]);
        for (const value of [target.id, target.uuid, { "~ObjectID": target.id }]) {
          const answers = [
            await send(reader, "PATCH", `/v1/object/${id}`, { To: value }),
            await send(reader, "POST", `/v1/object/${open}`, { All: [value] }),
          ];
          expect(answers.map(codeOf)).toEqual(["400/307", "400/307"]);
        }
      });

      test("a list of a class omits unreadable subclasses, and readable ones below those", async () => {
        const [base, below, apart] = [`Upper_${mode}`, `Lower_${mode}`, `Apart_${mode}`];
        const right = (...granted: Permission[]) => [{ group: readers, permissions: granted }];
        await define(
          ofClass(base, right("read", "write")),
          ofClass(below, [], { base, attributes: [] }),
          ofClass(apart, right("read"), { base: below, attributes: [] }),
        );
        const [one, two, three] = [await insert(base), await insert(below), await insert(apart)];
        const listed = async (className: string) => {
          const answer = await send(reader, "GET", `/v1/objects/${className}`);
          return answer.code === "0"
            ? [
                answer.body.data["~UnfilteredCount"],
                answer.body.data["~Elements"].map((each: { "~ObjectID": string }) => each["~ObjectID"]),
              ]
            : codeOf(answer);
        };
        expect([await listed(base), await listed(below), await listed(apart)]).toEqual([
          [2, [one.id, three.id]],
          "404/304",
          [1, [three.id]],
        ]);
        const objects = await Promise.all(
          [one, two, three].map(async ({ id }) => codeOf(await send(reader, "GET", `/v1/object/${id}`))),
        );
        expect(objects).toEqual(["200/0", "404/304", "200/0"]);
        expect(codeOf(await send(reader, "PATCH", `/v1/objects/${base}?query=${all}`, { Title: "b" }))).toBe("403/404");
        const only = encodeURIComponent(JSON.stringify({ oids: [one.id, two.id] }));
        expect((await send(reader, "PATCH", `/v1/objects/${base}?query=${only}`, { Title: "b" })).body.data).toEqual({
          "~Count": 1,
        });
        expect((await repositories().objects.get([two.id], seesAll))[0]?.attributes).toEqual({ Title: "a" });
      });

      test("readers of an object restrict the rights of its class, on every route", async () => {
        const className = `Narrowed_${mode}`;
        await define(ofClass(className, [{ group: "*", permissions }]));
        const wrong: string[] = [];
        for (const demand of demands.filter(({ path }) => !path({ className: "?", id: "", uuid: "" }).includes("?"))) {
          const [object] = await repositories().objects.insert([
            { className, attributes: { Title: "a" }, readers: [sales] },
          ]);
          const answer = codeOf(
            await send(
              reader,
              demand.method,
              demand.path({ className, id: object?.id ?? "", uuid: object?.uuid ?? "" }),
              demand.body,
            ),
          );
          if (answer !== "404/304") wrong.push(`${demand.what}: ${answer}`);
        }
        expect(wrong).toEqual([]);
      });
    });
  },
  { environment: objectEnvironment },
);
