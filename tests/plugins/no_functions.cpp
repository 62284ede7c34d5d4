// A shared object that is no plugin.
int mosim_answer() { return 42; }
