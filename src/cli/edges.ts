/** The edges of this build. The only file of the core that names them: delete an edge's folder and its lines here. */
import type { Edge } from "../edge/index.ts";
import { acpAgent } from "../../edges/acp-agent/index.ts";
import { lemon } from "../../edges/lemon/index.ts";

export const edges: readonly Edge[] = [lemon, acpAgent];
