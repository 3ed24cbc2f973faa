export default {
  // Sluice stays outside of the bundle of the server: it starts a file of its own for drainInBackground().
  serverExternalPackages: ['@sluice/core'],
  // The address to which a page sends its events ends in a slash.
  skipTrailingSlashRedirect: true,
};
