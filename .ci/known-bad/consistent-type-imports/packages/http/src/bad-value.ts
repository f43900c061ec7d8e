import { Knex } from "knex";
export type Query = Knex;
