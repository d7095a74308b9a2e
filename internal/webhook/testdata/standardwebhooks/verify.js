// Reads a JSON array of deliveries from standard input and writes a JSON array: for each delivery, whether the library accepts it.
const { Webhook } = require("standardwebhooks");

const accepts = ({ secret, body, headers }) => {
  try {
    new Webhook(secret).verify(body, headers);
    return true;
  } catch (error) {
    if (error.message !== "No matching signature found") throw error;
    return false;
  }
};

const deliveries = JSON.parse(require("fs").readFileSync(0, "utf8"));
process.stdout.write(JSON.stringify(deliveries.map(accepts)));
