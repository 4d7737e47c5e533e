package engine

// Version is the version of the rules' play, stored with every game and sample. A change of the engine that
// alters games raises it.
const Version = "1"
