export { rows } from "@sallyport/storage-knex";
