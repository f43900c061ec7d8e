export type Query = Promise<import("knex").Knex>;
