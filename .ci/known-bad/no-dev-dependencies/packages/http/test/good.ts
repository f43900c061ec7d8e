export { default } from "supertest";
