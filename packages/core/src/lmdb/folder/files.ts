/** The names of the files in a data folder. */
export const DATA_FILE = 'data.mdb';
export const LOCK_FILE = 'lock.mdb';
/** The manifest of a backup, which is no data folder. */
export const BACKUP_FILE = 'backup.json';
