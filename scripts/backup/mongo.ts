/** Advice on backups of MongoDB, which brings means of its own. */
export const MONGO_ADVICE = `A store on MongoDB is backed up by MongoDB's own means; everything is in its one database:

  mongodump --oplog --uri 'mongodb://<hosts>/?replicaSet=<name>' --archive=<file>
  mongorestore --oplogReplay --uri 'mongodb://<other hosts>/?replicaSet=<name>' --archive=<file>

or snapshots of your provider; a sharded cluster needs those.`
