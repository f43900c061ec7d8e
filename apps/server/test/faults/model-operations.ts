import { either, type WriteOperation } from "./write-operation.ts";
import type { FaultFixture } from "./fault-fixture.ts";

let count = 0;

function freshName(): string {
  count += 1;
  return `Thing${count}`;
}

function stateOf({ storage }: FaultFixture, name: string, absent: boolean): () => Promise<unknown> {
  return async () => {
    const { classes } = await storage.repositories.model.load();
    return either(
      classes.some((each) => each.name === name),
      absent,
      !absent,
    );
  };
}

/** Routes that change the model. */
export const modelOperations: readonly WriteOperation[] = [
  {
    title: "defines a class",
    done: "commit",
    prepare: async (fixture) => {
      const name = freshName();
      const attributes = [{ name: "Size", type: "number" }];
      return {
        request: { method: "PUT", path: `/v1/model/structure/${name}`, body: { attributes } },
        state: stateOf(fixture, name, false),
      };
    },
  },
  {
    title: "removes a class",
    done: "commit",
    prepare: async (fixture) => {
      const name = freshName();
      const { model } = fixture.storage.repositories;
      const { generation } = await model.load();
      await model.change({ put: [{ name, base: null, attributes: [], rights: [] }] }, generation);
      return {
        request: { method: "DELETE", path: `/v1/model/structure/${name}` },
        state: stateOf(fixture, name, true),
      };
    },
  },
];
