/** The icons of the page, by their Lucide names; only what is listed here is packed. */
import { memo } from "react";
import Archive from "lucide-react/icons/archive";
import ArchiveRestore from "lucide-react/icons/archive-restore";
import ArrowDown from "lucide-react/icons/arrow-down";
import ArrowUp from "lucide-react/icons/arrow-up";
import Ban from "lucide-react/icons/ban";
import Bell from "lucide-react/icons/bell";
import Bug from "lucide-react/icons/bug";
import Check from "lucide-react/icons/check";
import ChevronDown from "lucide-react/icons/chevron-down";
import ChevronLeft from "lucide-react/icons/chevron-left";
import ChevronRight from "lucide-react/icons/chevron-right";
import Circle from "lucide-react/icons/circle";
import CircleCheck from "lucide-react/icons/circle-check";
import CircleDot from "lucide-react/icons/circle-dot";
import CircleMinus from "lucide-react/icons/circle-minus";
import CircleX from "lucide-react/icons/circle-x";
import Clock from "lucide-react/icons/clock";
import Columns3 from "lucide-react/icons/columns-3";
import Copy from "lucide-react/icons/copy";
import CornerDownLeft from "lucide-react/icons/corner-down-left";
import Download from "lucide-react/icons/download";
import Ellipsis from "lucide-react/icons/ellipsis";
import EyeOff from "lucide-react/icons/eye-off";
import FileCode from "lucide-react/icons/file-code";
import FileDiff from "lucide-react/icons/file-diff";
import FileText from "lucide-react/icons/file-text";
import Folder from "lucide-react/icons/folder";
import FolderOpen from "lucide-react/icons/folder-open";
import Gauge from "lucide-react/icons/gauge";
import GitBranch from "lucide-react/icons/git-branch";
import GitFork from "lucide-react/icons/git-fork";
import Hand from "lucide-react/icons/hand";
import History from "lucide-react/icons/history";
import Inbox from "lucide-react/icons/inbox";
import Keyboard from "lucide-react/icons/keyboard";
import Link from "lucide-react/icons/link";
import ListChecks from "lucide-react/icons/list-checks";
import Lock from "lucide-react/icons/lock";
import Maximize2 from "lucide-react/icons/maximize-2";
import MessageSquare from "lucide-react/icons/message-square";
import Mic from "lucide-react/icons/mic";
import Minimize2 from "lucide-react/icons/minimize-2";
import Monitor from "lucide-react/icons/monitor";
import PanelLeft from "lucide-react/icons/panel-left";
import PanelRight from "lucide-react/icons/panel-right";
import Paperclip from "lucide-react/icons/paperclip";
import Pause from "lucide-react/icons/pause";
import Pencil from "lucide-react/icons/pencil";
import Pin from "lucide-react/icons/pin";
import Play from "lucide-react/icons/play";
import Plus from "lucide-react/icons/plus";
import Quote from "lucide-react/icons/quote";
import RefreshCw from "lucide-react/icons/refresh-cw";
import Rows3 from "lucide-react/icons/rows-3";
import Scissors from "lucide-react/icons/scissors";
import Search from "lucide-react/icons/search";
import Settings from "lucide-react/icons/settings";
import Share from "lucide-react/icons/share";
import Shield from "lucide-react/icons/shield";
import ShieldCheck from "lucide-react/icons/shield-check";
import SkipBack from "lucide-react/icons/skip-back";
import SkipForward from "lucide-react/icons/skip-forward";
import Smartphone from "lucide-react/icons/smartphone";
import Square from "lucide-react/icons/square";
import StepBack from "lucide-react/icons/step-back";
import StepForward from "lucide-react/icons/step-forward";
import Terminal from "lucide-react/icons/terminal";
import Trash2 from "lucide-react/icons/trash-2";
import TriangleAlert from "lucide-react/icons/triangle-alert";
import Upload from "lucide-react/icons/upload";
import UserPlus from "lucide-react/icons/user-plus";
import Users from "lucide-react/icons/users";
import Volume2 from "lucide-react/icons/volume-2";
import VolumeX from "lucide-react/icons/volume-x";
import Wallet from "lucide-react/icons/wallet";
import X from "lucide-react/icons/x";

const ICONS = {
  archive: Archive,
  "archive-restore": ArchiveRestore,
  "arrow-down": ArrowDown,
  "arrow-up": ArrowUp,
  ban: Ban,
  bell: Bell,
  bug: Bug,
  check: Check,
  "chevron-down": ChevronDown,
  "chevron-left": ChevronLeft,
  "chevron-right": ChevronRight,
  circle: Circle,
  "circle-check": CircleCheck,
  "circle-dot": CircleDot,
  "circle-minus": CircleMinus,
  "circle-x": CircleX,
  clock: Clock,
  "columns-3": Columns3,
  copy: Copy,
  "corner-down-left": CornerDownLeft,
  download: Download,
  ellipsis: Ellipsis,
  "eye-off": EyeOff,
  "file-code": FileCode,
  "file-diff": FileDiff,
  "file-text": FileText,
  folder: Folder,
  "folder-open": FolderOpen,
  gauge: Gauge,
  "git-branch": GitBranch,
  "git-fork": GitFork,
  hand: Hand,
  history: History,
  inbox: Inbox,
  keyboard: Keyboard,
  link: Link,
  "list-checks": ListChecks,
  lock: Lock,
  "maximize-2": Maximize2,
  "message-square": MessageSquare,
  mic: Mic,
  "minimize-2": Minimize2,
  monitor: Monitor,
  "panel-left": PanelLeft,
  "panel-right": PanelRight,
  paperclip: Paperclip,
  pause: Pause,
  pencil: Pencil,
  pin: Pin,
  play: Play,
  plus: Plus,
  quote: Quote,
  "refresh-cw": RefreshCw,
  "rows-3": Rows3,
  scissors: Scissors,
  search: Search,
  settings: Settings,
  share: Share,
  shield: Shield,
  "shield-check": ShieldCheck,
  "skip-back": SkipBack,
  "skip-forward": SkipForward,
  smartphone: Smartphone,
  square: Square,
  "step-back": StepBack,
  "step-forward": StepForward,
  terminal: Terminal,
  "trash-2": Trash2,
  "triangle-alert": TriangleAlert,
  upload: Upload,
  "user-plus": UserPlus,
  users: Users,
  "volume-2": Volume2,
  "volume-x": VolumeX,
  wallet: Wallet,
  x: X,
} as const;

export type IconName = keyof typeof ICONS;

export interface IconProps {
  readonly name: IconName;
  /** 14 pixels in rows and chips, 16 in buttons, 20 alone. */
  readonly size?: "s" | "m" | "l";
  readonly className?: string;
}

/** Decoration: what it means is said by the label of what it stands in. */
export const Icon = memo(function Icon({ name, size = "m", className = "" }: IconProps) {
  const Drawing = ICONS[name];
  return <Drawing className={`i ${size} ${className}`.trim()} aria-hidden="true" focusable="false" />;
});
