// A live example in a page of the documentation. It leaves the files of the whole page to that page: a frame that keeps
// them for later would make each reader transfer all lessons.

import "./site";
import "./framed";
import "./live";
