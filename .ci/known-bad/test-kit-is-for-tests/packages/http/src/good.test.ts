export { startPostgres } from "@sallyport/test-kit/databases/postgres";
