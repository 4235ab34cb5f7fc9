"use strict";
// What a report does beside being read (docs/report.md): without this, everything is there.
