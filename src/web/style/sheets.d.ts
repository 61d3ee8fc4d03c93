/** Sheets are packed by the bundler; a program sees nothing of them. */
declare module "*.css";
