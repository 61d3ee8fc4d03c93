/** Takes its turn and never says a word. */
import { onTurn, stay } from "./speak.mjs";

stay();
onTurn(() => {});
