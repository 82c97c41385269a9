/** Advice on backups of MongoDB, which brings means of its own. */
export const MONGO_ADVICE = `A store on MongoDB is backed up by MongoDB's own means; everything is in its one database:

  mongodump --oplog --uri 'mongodb://HOSTS/?replicaSet=NAME' --archive=FILE
  mongorestore --oplogReplay --uri 'mongodb://OTHER-HOSTS/?replicaSet=NAME' --archive=FILE

or snapshots of your provider; a sharded cluster needs those. Then check the restored database:

  DATABASE_URL='mongodb://OTHER-HOSTS/DATABASE?replicaSet=NAME' npm run backup -- --check`
