import type { Knex } from "knex";
export type Query = Knex;
