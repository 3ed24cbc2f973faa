// The address to which a page sends its events ends in a slash.
export default { skipTrailingSlashRedirect: true };
