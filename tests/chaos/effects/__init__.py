"""An app of the chaos tests alone: functions that leave a trace of every call, whatever becomes of it."""
