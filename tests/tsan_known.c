/* What is no race of launchgap's, for SAN=thread: ThreadSanitizer asks the program for it.
 *
 *   _dl_close_worker, _dl_map_object   the dynamic linker's own lock is not seen
 *   nvtx                               NVTX' headers look whether they are ready without a
 * lock; they come ready to the same end twice host_memory_open                   what threads
 * of one process lay down before all meet, where the last one to come is of another process,
 * which is not seen */
const char *__tsan_default_options(void);
const char *__tsan_default_suppressions(void);

/* A suppression names the function of a write long ago: as much of the past as can be kept. */
const char *__tsan_default_options(void)
{
	return "history_size=7";
}

const char *__tsan_default_suppressions(void)
{
	return "race:_dl_close_worker\n"
	       "race:_dl_map_object\n"
	       "race:nvtx\n"
	       "race:host_memory_open\n";
}
