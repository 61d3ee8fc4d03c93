/** Stylesheets are bundled; type checking sees nothing of them. */
declare module "*.css";
