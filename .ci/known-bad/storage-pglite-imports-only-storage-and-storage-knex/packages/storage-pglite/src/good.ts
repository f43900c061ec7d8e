export { rows } from "@sallyport/storage-knex";
export { word } from "@sallyport/storage";
