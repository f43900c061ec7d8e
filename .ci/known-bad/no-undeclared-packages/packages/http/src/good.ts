export { default } from "express";
