export const knex = 1;
