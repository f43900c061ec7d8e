export { knex as startPostgres } from "@sallyport/storage-knex";
